@echo off
rem Runs the command line tool on Windows, building it first when it is not there.
rem launcher.cmd names the variables it heeds.
setlocal
set "program=sifr"
set "module=sifr-cli"
call "%~dp0launcher.cmd"
if errorlevel 1 exit /b 127

set "heavy="
for %%c in (scan load export check inspect salvage compact demo) do if "%~1"=="%%c" set "heavy=yes"
rem The others are over before the optimizing compiler pays.
if not defined heavy set jvm_options=%jvm_options% -XX:TieredStopAtLevel=1 -XX:CompileThresholdScaling=5
if not defined heavy echo %SIFR_JAVA_OPTS% | findstr /c:"-XX:+Use" >nul || set jvm_options=%jvm_options% -XX:+UseSerialGC

"%java%" %jvm_options% %SIFR_JAVA_OPTS% -jar "%jar%" %*
exit /b %errorlevel%
