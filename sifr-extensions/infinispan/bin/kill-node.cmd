@echo off
rem Starts three nodes of an Infinispan cluster with Sifr stores on Windows, kills one while entries are
rem loaded and starts it again; every entry that was acknowledged must be there, twice. kill-node, the
rem script for other systems, says more.
setlocal
set "first=%~1"
if not "%~2"=="" goto usage
if defined first if "%first:~0,1%"=="-" goto usage
set "entries=%~1"
if not defined entries set "entries=1000000"

pushd "%~dp0..\..\.."
call mvn -B -q integration-test -pl sifr-extensions/infinispan -am -Dspotless.check.skip "-Dtest=KilledNodeTest" "-Dsurefire.failIfNoSpecifiedTests=false" -Djacoco.skip "-Dsifr.infinispan.entries=%entries%"
set "status=%errorlevel%"
popd
exit /b %status%

:usage
echo usage: kill-node [ENTRIES]     default: 1000000 of a kilobyte each>&2
exit /b 2
