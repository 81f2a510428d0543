@echo off
rem Runs YCSB against a Sifr store on Windows, and tells by its exit code whether every operation succeeded.
rem launcher.cmd names the variables it heeds; JAVA_OPTS goes to the JVM, too.
setlocal
set "program=sifr-ycsb"
set "module=sifr-ycsb-binding"
for %%d in ("%~dp0..") do set "module_dir=%%~fd"

set "phase="
if "%~1"=="load" set "phase=-load"
if "%~1"=="run" set "phase=-t"
if not defined phase goto usage
rem Not by "shift" and %%1: cmd separates arguments at "=", too.
set "rest="
for /f "tokens=1,*" %%a in ("%*") do set rest=%%b

set "workload="
set "exported="
:find_workload
shift
if "%~1"=="" goto found_workload
if "%~1"=="-P" set "workload=%~2"
if "%~1"=="exportfile" set "exported=yes"
goto find_workload
:found_workload
if not defined workload goto usage
rem A bundled one goes by its name.
if exist "%workload%" goto start
if not exist "%module_dir%\workloads\%workload%" goto no_workload
call set rest=%%rest:-P %workload%=-P "%module_dir%\workloads\%workload%"%%

:start
call "%~dp0..\..\sifr-cli\bin\launcher.cmd"
if errorlevel 1 exit /b 127
set "failed="
set "report=%TEMP%\sifr-ycsb-%RANDOM%.txt"
"%java%" %SIFR_JAVA_OPTS% %JAVA_OPTS% -cp "%jar%" site.ycsb.Client %phase% -P "%module_dir%\conf\defaults.properties" %rest% >"%report%"
if errorlevel 1 set "failed=yes"
type "%report%"
rem YCSB itself exits with 0 whatever happens.
findstr /c:"-FAILED" "%report%" >nul && set "failed=yes"
findstr /c:"Return=" "%report%" | findstr /v /c:"Return=OK" /c:"Return=BATCHED_OK" >nul && set "failed=yes"
findstr /b /r /c:"site\.ycsb\..*Exception" "%report%" >nul && set "failed=yes"
if not defined exported findstr /c:"RunTime(ms)" "%report%" >nul || set "failed=yes"
del "%report%"
if defined failed goto failed
exit /b 0

:failed
echo sifr-ycsb: not all went well>&2
exit /b 1

:no_workload
echo sifr-ycsb: there is no workload %workload%>&2
exit /b 2

:usage
echo usage: sifr-ycsb load^|run -P workload [-p name=value]... [-threads n] [-s]>&2
exit /b 2
