@echo off
rem Starts three servers that Raft keeps equal on Windows, and kills the one that leads while it is
rem written to, over and over; in the end all must have the same entries, and every write that was
rem acknowledged. kill-leader, the script for other systems, says more.
setlocal
set "first=%~1"
if not "%~3"=="" goto usage
if defined first if "%first:~0,1%"=="-" goto usage
set "kills=%~1"
if not defined kills set "kills=3"
set "entries=%~2"
if not defined entries set "entries=1000"

pushd "%~dp0..\..\.."
call mvn -B -q integration-test -pl sifr-extensions/ratis-example -am -Dspotless.check.skip "-Dtest=KilledLeaderTest" "-Dsurefire.failIfNoSpecifiedTests=false" -Djacoco.skip "-Dsifr.ratis.kills=%kills%" "-Dsifr.ratis.entries=%entries%"
set "status=%errorlevel%"
popd
exit /b %status%

:usage
echo usage: kill-leader [KILLS [ENTRIES]]     default: 3 kills, 1000 entries at least>&2
exit /b 2
