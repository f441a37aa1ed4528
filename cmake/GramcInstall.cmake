# What is installed where, by component: `program`, `libgramc` and `libgramcrun` (the shared libraries),
# and `dev` (headers, archives, pkg-config, the CMake package). Everything may be moved afterwards.
include(CMakePackageConfigHelpers)

function(gramc_install)
  install(TARGETS gramc RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(DIRECTORY include/gramc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
  install(DIRECTORY specs docs/tutorial DESTINATION ${CMAKE_INSTALL_DATADIR}/gramc COMPONENT program)
  gramc_install_pages()
  gramc_install_shared(gramc)
  gramc_pkgconfig(gramc "compiles specs in gram notation" "" "libpcre2-8 yaml-0.1" "")
  gramc_pkgconfig(gramcschema "gramc's validator of JSON Schema by itself" "" "libpcre2-8" "")
  if(GRAMC_RUNTIME)
    install(TARGETS gramc-run gramc-host RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gramc
      COMPONENT program)
    install(CODE "execute_process(COMMAND \${CMAKE_COMMAND} -E create_symlink
      ../${CMAKE_INSTALL_LIBEXECDIR}/gramc/gramc-run
      \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/gram-agent)" COMPONENT program)
    gramc_install_shared(gramcrun)
    gramc_pkgconfig(gramcrun "runs agents that gramc compiled" gramc "libuv libcurl sqlite3"
      "-lm -ldl -lpthread")
  endif()
  gramc_cmake_package()
endfunction()

# The library for programs, its name without a version for the linker.
function(gramc_install_shared name)
  install(TARGETS ${name}_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lib${name}
    NAMELINK_COMPONENT dev)
endfunction()

function(gramc_install_pages)
  set(dir ${CMAKE_BINARY_DIR}/pages)
  install(FILES ${dir}/gramc.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(DIRECTORY ${dir}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${dir}/gramc.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME gramc COMPONENT program)
  install(FILES ${dir}/_gramc DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
    COMPONENT program)
  install(FILES ${dir}/gramc.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT program)
endfunction()

# gramc_pkgconfig(NAME ABOUT REQUIRES PRIVATE_REQUIRES PRIVATE_LIBRARIES)
function(gramc_pkgconfig name about requires private_requires private_libs)
  set(file ${CMAKE_BINARY_DIR}/${name}.pc)
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/library.pc.in ${file} @ONLY)
  install(FILES ${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()

# find_package(gramc), with the component `run` for libgramcrun.
function(gramc_cmake_package)
  set(to ${CMAKE_INSTALL_LIBDIR}/cmake/gramc)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/gramcConfig.cmake.in
    ${CMAKE_BINARY_DIR}/gramcConfig.cmake INSTALL_DESTINATION ${to}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
  # Before 1.0 a minor version may break what uses it.
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/gramcConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/gramcConfig.cmake ${CMAKE_BINARY_DIR}/gramcConfigVersion.cmake
    DESTINATION ${to} COMPONENT dev)
endfunction()
