@echo off
rem Makes a Sifr store of a RocksDB directory on Windows, building the program first when it is not there.
rem launcher.cmd names the variables it heeds.
setlocal
set "program=sifr-import-rocksdb"
set "module=sifr-extensions/store-import"
call "%~dp0..\..\..\sifr-cli\bin\launcher.cmd"
if errorlevel 1 exit /b 127

"%java%" %jvm_options% %SIFR_JAVA_OPTS% -cp "%jar%" io.sifr.importer.rocksdb.RocksDbImport %*
exit /b %errorlevel%
