# How the folders become two libraries and two executables. CMakeLists.txt says what; here is
# how; GramcInstall.cmake says what of it is installed. Sources are found by folder: adding a file needs no edit.

macro(gramc_toolchain)
  set(CMAKE_C_STANDARD 11)
  set(CMAKE_C_STANDARD_REQUIRED ON)
  set(CMAKE_C_EXTENSIONS OFF)
  set(CMAKE_C_VISIBILITY_PRESET hidden)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release)
  endif()
  find_program(RE2C re2c)
  find_program(LEMON lemon)
  find_file(LEMON_TEMPLATE lempar.c PATHS /usr/share/lemon /usr/local/share/lemon)
  if(NOT RE2C OR NOT LEMON OR NOT LEMON_TEMPLATE)
    message(FATAL_ERROR "re2c and lemon are needed: apt-get install re2c lemon")
  endif()
  find_package(PkgConfig REQUIRED)
  find_library(PCRE2_LIBRARY NAMES libpcre2-8.a pcre2-8)
  find_path(PCRE2_INCLUDE pcre2.h)
  if(NOT PCRE2_LIBRARY OR NOT PCRE2_INCLUDE)
    message(FATAL_ERROR "PCRE2 is needed: apt-get install libpcre2-dev")
  endif()
  # Static where it is found: a command that starts in the time of an empty program loads nothing.
  find_library(YAML_LIBRARY NAMES libyaml.a yaml)
  find_path(YAML_INCLUDE yaml.h)
  if(NOT YAML_LIBRARY OR NOT YAML_INCLUDE)
    message(FATAL_ERROR "libyaml is needed: apt-get install libyaml-dev")
  endif()
  if(GRAMC_RUNTIME)
    pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv)
    pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
    pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
    pkg_check_modules(EDIT REQUIRED IMPORTED_TARGET libedit)
    # Its header alone: the library is opened on use.
    find_path(MICROHTTPD_INCLUDE microhttpd.h)
    if(NOT MICROHTTPD_INCLUDE)
      message(FATAL_ERROR "libmicrohttpd is needed: apt-get install libmicrohttpd-dev")
    endif()
  endif()
endmacro()

# Flags that every C file of ours is compiled with.
function(gramc_flags target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
    -Wshadow -Wcast-qual -Wundef -Wstrict-prototypes -Wmissing-prototypes -Wimplicit-fallthrough)
  if(GRAMC_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include
    ${CMAKE_BINARY_DIR}/generated)
  target_compile_definitions(${target} PRIVATE GRAMC_BUILD)
endfunction()

# One folder with its subfolders as objects; all later layers may link it, none before it.
function(gramc_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${name}/*.c)
  add_library(layer_${name} OBJECT ${sources})
  gramc_flags(layer_${name})
  target_include_directories(layer_${name} PRIVATE ${PCRE2_INCLUDE} ${YAML_INCLUDE})
  if(name STREQUAL "runtime" OR name STREQUAL "experiment" OR name STREQUAL "serve")
    target_link_libraries(layer_${name} PRIVATE PkgConfig::UV PkgConfig::CURL PkgConfig::SQLITE)
    # uv.h names types of POSIX; -std=c11 alone hides them.
    target_compile_definitions(layer_${name} PRIVATE _POSIX_C_SOURCE=200809L)
  endif()
endfunction()

# Base once more, exporting nothing: libgramcrun has a copy of its own, libgramc the public one.
function(gramc_private_base)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/base/*.c)
  add_library(layer_base_private OBJECT ${sources})
  gramc_flags(layer_base_private)
  target_include_directories(layer_base_private PRIVATE ${YAML_INCLUDE})
  target_compile_definitions(layer_base_private PRIVATE GRAMC_PRIVATE)
endfunction()

# Each *.re of a layer becomes a C file in the build tree, never in the source tree. WebAssembly has no `goto`, and what
# clang makes of many differs from one time to the next: there, states are a loop around a `switch`.
function(gramc_generate_lexers)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
  set(states)
  if(EMSCRIPTEN)
    set(states --loop-switch)
  endif()
  foreach(layer base jsonschema jolt toolbox grammar compiler)
    file(GLOB_RECURSE lexers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${layer}/*.re)
    foreach(lexer ${lexers})
      get_filename_component(name ${lexer} NAME_WE)
      set(out ${CMAKE_BINARY_DIR}/generated/${layer}_${name}.c)
      add_custom_command(OUTPUT ${out}
        COMMAND ${RE2C} -W -Werror -8 -i ${states} --no-generation-date --no-version -o ${out} ${lexer}
        DEPENDS ${lexer} VERBATIM)
      target_sources(layer_${layer} PRIVATE ${out})
    endforeach()
  endforeach()
endfunction()

# jsonschema/metaschema/*.json become generated/metaschemas.h, which jsonschema/metaschemas.c includes.
function(gramc_embed_metaschemas)
  set(folder ${CMAKE_SOURCE_DIR}/jsonschema/metaschema)
  set(script ${CMAKE_SOURCE_DIR}/cmake/EmbedMetaschemas.cmake)
  set(out ${CMAKE_BINARY_DIR}/generated/metaschemas.h)
  file(GLOB documents CONFIGURE_DEPENDS ${folder}/*.json)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${folder} -DOUT=${out} -P ${script}
    DEPENDS ${documents} ${script} VERBATIM)
  target_sources(layer_jsonschema PRIVATE ${out})
  set_source_files_properties(${CMAKE_SOURCE_DIR}/jsonschema/metaschemas.c PROPERTIES
    OBJECT_DEPENDS ${out})
endfunction()

# grammar/parser.y becomes generated/parser.c and parser.h; grammar/parse.c includes the former.
function(gramc_generate_parser)
  set(dir ${CMAKE_BINARY_DIR}/generated)
  set(grammar ${CMAKE_SOURCE_DIR}/grammar/parser.y)
  if(NOT EXISTS ${grammar})
    return()
  endif()
  add_custom_command(OUTPUT ${dir}/parser.c BYPRODUCTS ${dir}/parser.h ${dir}/parser.out
    COMMAND ${LEMON} -q -T${LEMON_TEMPLATE} -d${dir} ${grammar}
    DEPENDS ${grammar} VERBATIM)
  add_custom_target(generated_parser DEPENDS ${dir}/parser.c)
  add_dependencies(layer_grammar generated_parser)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/grammar/parse.c PROPERTIES
    OBJECT_DEPENDS ${dir}/parser.c)
endfunction()

# Three libraries out of layers. The shared one and the archive export GRAMC_API and nothing else;
# ${name}_static, which is not installed, has all symbols: our programs and tests link it.
function(gramc_library name)
  set(objects)
  foreach(layer ${ARGN})
    list(APPEND objects $<TARGET_OBJECTS:layer_${layer}>)
  endforeach()
  add_library(${name}_static STATIC ${objects})
  add_library(${name}_shared SHARED ${objects})
  foreach(kind static shared)
    target_include_directories(${name}_${kind} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
    set_target_properties(${name}_${kind} PROPERTIES LINKER_LANGUAGE C)
  endforeach()
  set_target_properties(${name}_static PROPERTIES OUTPUT_NAME ${name}_internal)
  set_target_properties(${name}_shared PROPERTIES OUTPUT_NAME ${name})
  if(EMSCRIPTEN) # it has no shared libraries and makes an archive, of which there is one by that name
    set_target_properties(${name}_shared PROPERTIES SUFFIX .so)
  endif()
  # As in the shared one: the runtime has copies of base and toolbox that nobody sees.
  if(name STREQUAL "gramcrun")
    list(APPEND objects $<TARGET_OBJECTS:layer_base_private> $<TARGET_OBJECTS:layer_toolbox>)
  endif()
  gramc_archive(${name} ${objects})
  # What a static library of others exports is none of ours.
  target_link_options(${name}_shared PRIVATE LINKER:--exclude-libs,ALL)
  set_target_properties(${name}_shared PROPERTIES VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} INSTALL_RPATH "\$ORIGIN")
  if(name STREQUAL "gramcrun")
    # The runtime's own copies stay hidden; everything else comes from libgramc's exports.
    target_sources(${name}_shared PRIVATE $<TARGET_OBJECTS:layer_base_private>
      $<TARGET_OBJECTS:layer_toolbox>)
    target_link_libraries(${name}_shared PUBLIC gramc_shared PRIVATE PkgConfig::UV PkgConfig::CURL
      PkgConfig::SQLITE ${YAML_LIBRARY} m ${CMAKE_DL_LIBS})
    target_link_libraries(${name}_static PUBLIC gramc_static PkgConfig::UV PkgConfig::CURL
      PkgConfig::SQLITE m
      ${CMAKE_DL_LIBS})
  else()
    target_link_libraries(${name}_shared PRIVATE ${PCRE2_LIBRARY} ${YAML_LIBRARY})
    target_link_libraries(${name}_static PUBLIC $<BUILD_INTERFACE:${PCRE2_LIBRARY}>
      $<BUILD_INTERFACE:${YAML_LIBRARY}>)
  endif()
endfunction()

# lib${name}.a: one object, in which every symbol that is hidden has become local.
function(gramc_archive name)
  set(archive ${CMAKE_BINARY_DIR}/lib${name}.a)
  set(whole ${CMAKE_BINARY_DIR}/${name}.o)
  add_custom_command(OUTPUT ${archive}
    COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -o ${whole} ${ARGN}
    COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${whole}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${CMAKE_AR} rcs ${archive} ${whole}
    DEPENDS ${ARGN} COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${name}_archive ALL DEPENDS ${archive})
  install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endfunction()

# libgramcschema.a: gramc/schema.h for those who want nothing else. Without libyaml.
function(gramc_schema_library)
  gramc_archive(gramcschema $<FILTER:$<TARGET_OBJECTS:layer_base>,EXCLUDE,/base/yaml/>
    $<TARGET_OBJECTS:layer_jsonschema>)
endfunction()

# What gramc-run has besides libgramrun: answering over HTTP.
function(gramc_serving)
  target_include_directories(layer_serve PRIVATE ${MICROHTTPD_INCLUDE})
  set(out ${CMAKE_BINARY_DIR}/generated/page.h)
  set(page ${CMAKE_SOURCE_DIR}/serve/chat.html)
  set(script ${CMAKE_SOURCE_DIR}/cmake/EmbedPage.cmake)
  add_custom_command(OUTPUT ${out} COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DOUT=${out} -P ${script}
    DEPENDS ${page} ${script} VERBATIM)
  target_sources(layer_serve PRIVATE ${out})
  set_source_files_properties(${CMAKE_SOURCE_DIR}/serve/page.c PROPERTIES OBJECT_DEPENDS ${out})
  add_library(gramcserve_static STATIC $<TARGET_OBJECTS:layer_serve>)
  target_link_libraries(gramcserve_static PUBLIC gramcrun_static)
endfunction()

# What `gramc lsp` is: none of the libraries has it.
function(gramc_language_server)
  gramc_layer(lsp)
  add_dependencies(layer_lsp generated_parser)
  add_library(gramclsp_static STATIC $<TARGET_OBJECTS:layer_lsp>)
  target_link_libraries(gramclsp_static PUBLIC gramc_static)
endfunction()

# What JavaScript calls (wasm/): objects for the tests, and under emscripten gramc.wasm, which imports
# nothing that would need emscripten's own JavaScript. The stack lies below all data: who overruns it
# leaves the memory, and is stopped.
function(gramc_wasm)
  gramc_layer(wasm)
  if(NOT EMSCRIPTEN)
    return()
  endif()
  add_executable(gramc_wasm $<TARGET_OBJECTS:layer_wasm>)
  target_link_libraries(gramc_wasm PRIVATE gramc_static)
  target_link_options(gramc_wasm PRIVATE -O2 --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH
    -sTOTAL_STACK=4MB -sINITIAL_MEMORY=16MB -sMAXIMUM_MEMORY=2GB -Wl,--stack-first
    -sEXPORTED_FUNCTIONS=_gramc_wasm_call,_gramc_wasm_alloc,_gramc_wasm_free)
  set_target_properties(gramc_wasm PROPERTIES OUTPUT_NAME gramc SUFFIX .wasm
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endfunction()

# A program that loads nothing: libc and all else is inside.
function(gramc_one_file target)
  foreach(library ${PCRE2_LIBRARY} ${YAML_LIBRARY})
    if(NOT library MATCHES "\\.a$")
      message(FATAL_ERROR "${target} is to be one file, but ${library} is no archive")
    endif()
  endforeach()
  target_link_options(${target} PRIVATE -static LINKER:--gc-sections)
endfunction()

# gramc, and gramc-run, which gramc finds beside itself in ../libexec/gramc.
function(gramc_commands)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/*.c)
  file(GLOB run_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/run/*.c)
  set(main ${CMAKE_SOURCE_DIR}/cli/main.c)
  list(REMOVE_ITEM sources ${main})
  add_library(cli_objects OBJECT ${sources})
  gramc_flags(cli_objects)
  add_executable(gramc ${main} $<TARGET_OBJECTS:cli_objects>)
  gramc_flags(gramc)
  target_link_libraries(gramc PRIVATE gramclsp_static)
  if(GRAMC_STATIC)
    gramc_one_file(gramc)
  endif()
  set_target_properties(gramc PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  if(GRAMC_RUNTIME)
    add_executable(gramc-run ${run_sources} $<TARGET_OBJECTS:cli_objects>)
    gramc_flags(gramc-run)
    target_link_libraries(gramc-run PRIVATE gramcserve_static gramclsp_static PkgConfig::EDIT)
    set_target_properties(gramc-run PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/gramc)
    if(GRAMC_BUNDLED)
      # The old kind of path, which counts for libraries of libraries and for dlopen as well.
      set_target_properties(gramc-run PROPERTIES INSTALL_RPATH "\$ORIGIN/../../lib/gramc")
      target_link_options(gramc-run PRIVATE LINKER:--disable-new-dtags)
    endif()
    gramc_host()
  endif()
endfunction()

# gramc-host, in which plugins run. It has no need of libuv and libcurl, and starts the quicker.
function(gramc_host)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/host/*.c)
  add_executable(gramc-host ${sources} ${CMAKE_SOURCE_DIR}/runtime/process/plugin.c)
  gramc_flags(gramc-host)
  target_link_libraries(gramc-host PRIVATE gramc_static ${CMAKE_DL_LIBS})
  set_target_properties(gramc-host PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/libexec/gramc)
endfunction()

# The man pages and the shells' completions, written by a program from the tables of commands and
# options. With the runtime it knows gramc-run's commands too.
function(gramc_generate_pages)
  add_executable(gramc-generate ${CMAKE_SOURCE_DIR}/cli/generate/main.c
    ${CMAKE_SOURCE_DIR}/cli/generate/man.c ${CMAKE_SOURCE_DIR}/cli/generate/shells.c ${CMAKE_SOURCE_DIR}/cli/generate/limits.c
    ${CMAKE_SOURCE_DIR}/cli/generate/findings.c
    $<TARGET_OBJECTS:cli_objects>)
  gramc_flags(gramc-generate)
  target_link_libraries(gramc-generate PRIVATE gramclsp_static)
  if(GRAMC_RUNTIME)
    file(GLOB run_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cli/run/*.c)
    list(REMOVE_ITEM run_sources ${CMAKE_SOURCE_DIR}/cli/run/main.c)
    target_sources(gramc-generate PRIVATE ${run_sources})
    target_link_libraries(gramc-generate PRIVATE gramcserve_static PkgConfig::EDIT)
    target_compile_definitions(gramc-generate PRIVATE GRAMC_RUNTIME)
  endif()
  set(dir ${CMAKE_BINARY_DIR}/pages)
  set(pages)
  foreach(page man:gramc.1 bash:gramc.bash zsh:_gramc fish:gramc.fish limits:limits.md findings:findings.md)
    string(REPLACE ":" ";" page ${page})
    list(GET page 0 kind)
    list(GET page 1 file)
    add_custom_command(OUTPUT ${dir}/${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
      COMMAND gramc-generate ${kind} ${dir}/${file}
      DEPENDS gramc-generate VERBATIM)
    list(APPEND pages ${dir}/${file})
  endforeach()
  # A page a command; a page of a command that is gone does not stay.
  add_custom_command(OUTPUT ${dir}/man-pages.made
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${dir}/man1
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}/man1
    COMMAND gramc-generate man-pages ${dir}/man1
    COMMAND ${CMAKE_COMMAND} -E touch ${dir}/man-pages.made
    DEPENDS gramc-generate VERBATIM)
  add_custom_target(pages ALL DEPENDS ${pages} ${dir}/man-pages.made)
endfunction()
