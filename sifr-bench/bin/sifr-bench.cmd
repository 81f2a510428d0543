@echo off
rem Runs the benchmarks on Windows, building them first when they are not there.
rem launcher.cmd names the variables it heeds.
setlocal
set "program=sifr-bench"
set "module=sifr-bench"
call "%~dp0..\..\sifr-cli\bin\launcher.cmd"
if errorlevel 1 exit /b 127

rem LMDB's Java side points direct buffers into its mapping by their private fields.
rem Plots are drawn without a screen.
"%java%" -Djava.awt.headless=true %SIFR_JAVA_OPTS% -jar "%jar%" %*
exit /b %errorlevel%
