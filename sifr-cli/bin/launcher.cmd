rem What the programs of this project need to start: a Java and their jar. Called by the .cmd files
rem that are started, which set program and module before; sets java, jar and jvm_options.
rem
rem JAVA_HOME, then PATH   where Java 17 or newer is looked for
rem SIFR_JAVA_OPTS         further options for the JVM, for instance -Xmx512m

set "java="
set "seen="
if defined JAVA_HOME call :consider "%JAVA_HOME%\bin\java.exe"
if not defined java for %%j in (java.exe) do if not "%%~$PATH:j"=="" call :consider "%%~$PATH:j"
if not defined java (
  if not defined seen set "seen= No java was found."
  call :complain
  exit /b 127
)

for %%d in ("%~dp0..\..") do set "project_dir=%%~fd"
set "jar=%project_dir%\%module%\target\%module%.jar"
if not exist "%jar%" call :build
if not exist "%jar%" exit /b 127

rem From 19 on the JVM keeps by itself what it reads and checks of classes, for the next start.
set "jvm_options="
if %java_version% geq 19 set jvm_options=-XX:+AutoCreateSharedArchive "-XX:SharedArchiveFile=%jar%-%java_version%.jsa" -Xshare:auto -Xlog:cds*=off
exit /b 0

:complain
echo %program%: Java 17 or newer is needed.%seen% Set JAVA_HOME to a newer one, or put it on the PATH.>&2
exit /b 0

rem Sets java and java_version if %1 is new enough. A version looks like "17.0.15" or "1.8.0_292".
:consider
if not exist "%~1" exit /b 0
set "java_version=0"
for /f "tokens=3" %%v in ('^""%~1" -version 2^>^&1 ^| findstr /c:" version "^"') do (
  for /f "tokens=1 delims=.-+" %%m in ("%%~v") do set "java_version=%%m"
)
if %java_version% geq 17 (
  set "java=%~1"
  for %%h in ("%~dp1..") do set "java_home=%%~fh"
) else (
  set "seen=%seen% %~1 is Java %java_version%."
)
exit /b 0

rem The programs alone: no tests, no static analysis. The jar gets its name when it is whole.
:build
where mvn >nul 2>nul
if errorlevel 1 (
  echo %program%: %jar% is missing, and there is no Maven to build it; install Maven 3.8 or newer>&2
  exit /b 127
)
echo %program%: building %jar%, once>&2
pushd "%project_dir%"
set "JAVA_HOME=%java_home%"
call mvn -B -Pprograms-only -DskipChecks -Dprograms.suffix=.part -pl %module% -am package 1>&2
popd
if errorlevel 1 (
  echo %program%: the build failed>&2
  exit /b 127
)
move /y "%jar%.part" "%jar%" >nul
exit /b 0
