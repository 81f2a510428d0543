rem What the programs of this project need to start: a Java and their jar. Called by the .cmd files
rem that are started, which set program and module before; sets java, jar and jvm_options.
rem
rem JAVA_HOME, then PATH   where Java 17 or newer is looked for
rem SIFR_JAVA_OPTS         further options for the JVM, for instance -Xmx512m

set "java="
set "seen="
if defined JAVA_HOME call :consider "%JAVA_HOME%\bin\java.exe"
if not defined java for %%j in (java.exe) do if not "%%~$PATH:j"=="" call :consider "%%~$PATH:j"
if not defined seen set "seen= No java was found."
if not defined java goto no_java

for %%d in ("%~dp0..\..") do set "project_dir=%%~fd"
rem A module within another one has the name of its directory: sifr-extensions/store-import.
for %%m in ("%module%") do set "jar=%project_dir%\%module:/=\%\target\%%~nxm.jar"
if not exist "%jar%" call :build
if not exist "%jar%" exit /b 127

rem From 19 on the JVM keeps by itself what it reads and checks of classes, for the next start.
set "jvm_options="
if %java_version% geq 19 set jvm_options=-XX:+AutoCreateSharedArchive "-XX:SharedArchiveFile=%jar%-%java_version%.jsa" -Xlog:cds*=off
if %java_version% geq 25 set jvm_options=%jvm_options% -Xlog:aot*=off
exit /b 0

:no_java
echo %program%: Java 17 or newer is needed.%seen% Set JAVA_HOME to a newer one, or put it on the PATH.>&2
exit /b 127

rem Sets java, java_home and java_version if %1 is new enough. Its version is told by the file "release", where there is one.
:consider
if not exist "%~1" exit /b 0
for %%h in ("%~dp1..") do set "java_home=%%~fh"
set "full_version="
if exist "%java_home%\release" for /f "usebackq tokens=1,2 delims==" %%a in ("%java_home%\release") do if "%%a"=="JAVA_VERSION" set "full_version=%%~b"
if not defined full_version call :ask_version "%~1"
set "java_version=0"
for /f "delims=.-+_" %%m in ("%full_version%") do set "java_version=%%m"
if %java_version% geq 17 set "java=%~1"
if not defined java set "seen=%seen% %~1 is Java %full_version%."
exit /b 0

rem The first line is: openjdk version "17.0.15" 2025-04-15
:ask_version
set "answer=%TEMP%\sifr-java-version-%RANDOM%.txt"
"%~1" -version 2>"%answer%"
for /f "usebackq tokens=2,3" %%a in ("%answer%") do if "%%a"=="version" set "full_version=%%~b"
del "%answer%"
exit /b 0

rem The programs alone: no tests, no static analysis. The jar gets its name when it is whole.
:build
where mvn >nul 2>nul
if errorlevel 1 goto no_maven
echo %program%: building %jar%, once>&2
if exist "%java_home%\bin\javac.exe" set "JAVA_HOME=%java_home%"
pushd "%project_dir%"
set "built=yes"
call mvn -B -Pprograms-only -DskipChecks -Dprograms.suffix=.part -pl %module% -am package 1>&2 || set "built="
popd
if defined built move /y "%jar%.part" "%jar%" >nul
if not exist "%jar%" echo %program%: the build failed>&2
exit /b 0

:no_maven
echo %program%: %jar% is missing, and there is no Maven (mvn) to build it; install Maven 3.8 or newer>&2
exit /b 0
