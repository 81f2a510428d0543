@echo off
rem Starts a Kafka broker and an application of Kafka Streams with Sifr stores on Windows, which is
rem killed while it works and started again; in the end its results must be those of all records.
rem kill-and-restore, the script for other systems, says more.
setlocal
set "first=%~1"
if not "%~3"=="" goto usage
if defined first if "%first:~0,1%"=="-" goto usage
set "kills=%~1"
if not defined kills set "kills=3"
set "records=%~2"
if not defined records set "records=40000"

pushd "%~dp0..\..\.."
call mvn -B -q integration-test -pl sifr-extensions/kafka-streams,sifr-extensions/kafka-streams-newest -am -Dspotless.check.skip "-Dtest=KilledApplicationTest,TransactionalApplicationTest" "-Dsurefire.failIfNoSpecifiedTests=false" -Djacoco.skip "-Dsifr.kafka.kills=%kills%" "-Dsifr.kafka.records=%records%"
set "status=%errorlevel%"
popd
exit /b %status%

:usage
echo usage: kill-and-restore [KILLS [RECORDS]]     default: 3 kills, at least 1; 40000 records>&2
exit /b 2
