/* Every settings struct is described by a table. Defaults, checks, command-line flags, Python
 * keywords and the reference page are all derived from it.
 *
 * A settings struct begins with its own size, which its defaults set: ch_anchors_defaults(&set), or
 * for any table ch_settings_defaults(table, &set, sizeof set). The size lets
 * a program and a library of different versions work together: settings that the program does not
 * know get their defaults, and settings that the library does not know are refused
 * (CH_ERR_ARGUMENT) unless they are zero. */
#ifndef CONEHULL_SETTINGS_H
#define CONEHULL_SETTINGS_H

#include <conehull/context.h>

CH_BEGIN_DECLS

typedef enum ch_setting_kind {
    CH_SETTING_INT,   /**< int64_t                                                     */
    CH_SETTING_REAL,  /**< double                                                      */
    CH_SETTING_FLAG,  /**< int, 0 or 1                                                 */
    CH_SETTING_CHOICE /**< int, an index into choices[]                                */
} ch_setting_kind;

typedef struct ch_setting {
    const char *name; /**< "exterior": flag --exterior, keyword exterior               */
    ch_setting_kind kind;
    size_t offset;              /**< in the settings struct                            */
    double initial, low, high;  /**< inclusive bounds; choices: index                  */
    const char *const *choices; /**< NULL-terminated, for CH_SETTING_CHOICE            */
    const char *value;          /**< what help calls the value: "N", "T", ...          */
    const char *help;           /**< one sentence                                      */
} ch_setting;

/** The description of a settings struct, whose first member is size_t size. */
typedef struct ch_settings_table {
    const char *name;
    const ch_setting *rows;
    int count;
    size_t size;
} ch_settings_table;

/** Fills `size` bytes: sets the size and the defaults of the table; members not in the table become
 *  zero. */
CH_API void ch_settings_defaults(const ch_settings_table *table, void *settings, size_t size);
/** Checks that every field is within its range and not NaN. The message names field, value and
 *  range. */
CH_API ch_status ch_settings_check(ch_context *context, const ch_settings_table *table,
                                   const void *settings);
/** Sets one field from text ("max", "1e-9", "20"; a flag: "1" or "0"). */
CH_API ch_status ch_settings_set(ch_context *context, const ch_settings_table *table,
                                 void *settings, const char *name, const char *text);
/** Sets several fields from text such as "rank=5 loss=l1". Sets all of them or none. */
CH_API ch_status ch_settings_set_words(ch_context *context, const ch_settings_table *table,
                                       void *settings, const char *words);
CH_API const ch_setting *ch_settings_find(const ch_settings_table *table, const char *name);

CH_END_DECLS
#endif
