# The sources of the page's program, for web/CMakeLists.txt and for tests/e2e/web, which links them natively.
set(CH_PAGE_SOURCES
  web/page_clip.c web/page_data.c web/page_folder.c web/page_main.c web/page_system.c web/page_zip.c
  cli/anchors/advice_output.c cli/anchors/anchors_first.c cli/anchors/anchors_page_none.c cli/anchors/anchors_print.c cli/anchors/cmd_anchors.c
  cli/anchors/library_input.c cli/anchors/write_h5ad.c
  cli/result/certificate_file.c cli/result/compact_weights.c cli/result/column_residuals.c cli/result/feature_scale.c cli/result/named_files.c cli/result/rank_chart_none.c
  cli/result/result_folder.c cli/result/result_json.c cli/result/stored_result.c cli/result/trust_options.c
  cli/common/command.c cli/common/exit_codes.c cli/common/folder_files.c cli/common/json.c cli/common/matrix_input.c
  cli/common/message.c cli/common/recovery_experiment.c
  cli/demo/demo_spectra.c
  cli/main/program.c
  cli/names/names_input.c
  cli/options/checkpoint_option.c cli/options/complete.c cli/options/option_values.c cli/options/options.c cli/options/suggest.c
  src/spectra/planted_scene.c)
list(TRANSFORM CH_PAGE_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/)
