@echo off
rem Starts nodes of an Infinispan cluster with Sifr stores on this machine, each in a process of its own,
rem says where clients find them, and stops them when its input ends (Ctrl-Z, Enter).
setlocal
set "first=%~1"
if not "%~3"=="" goto usage
if defined first if "%first:~0,1%"=="-" goto usage
set "nodes=%~1"
if not defined nodes set "nodes=3"
set "directory=%~2"
if not defined directory set "directory=%TEMP%\sifr-cluster-%RANDOM%"

pushd "%~dp0..\..\.."
set "class_path=%TEMP%\sifr-class-path-%RANDOM%.txt"
set "target=sifr-extensions/infinispan/target"
call mvn -B -q test-compile dependency:build-classpath -pl sifr-extensions/infinispan -am -DskipChecks "-Dmdep.fileSeparator=/" "-Dmdep.outputFile=%class_path%"
if errorlevel 1 goto failed
rem The class path is longer than a command may be: java reads it from a file, in quotes, where a
rem backslash at the end of a line continues it.
>"%class_path%.args" echo -cp
>>"%class_path%.args" echo "%target%/test-classes;%target%/classes;\
type "%class_path%" >>"%class_path%.args"
>>"%class_path%.args" echo "
java "@%class_path%.args" io.sifr.infinispan.StartCluster "%nodes%" "%directory%"
:failed
set "status=%errorlevel%"
del "%class_path%" "%class_path%.args" 2>nul
popd
exit /b %status%

:usage
echo usage: start-cluster [NODES [DIRECTORY]]     default: 3 nodes, in a new directory for temporary files>&2
exit /b 2
