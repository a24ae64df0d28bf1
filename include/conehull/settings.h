/* Settings: every settings struct is described by a table, from which defaults, checks,
 * command-line flags, Python keywords and the reference page are derived.
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

/** The C type of a setting's field. */
typedef enum ch_setting_kind {
    CH_SETTING_INT,   /**< int64_t */
    CH_SETTING_REAL,  /**< double */
    CH_SETTING_FLAG,  /**< int, 0 or 1 */
    CH_SETTING_CHOICE /**< int or enum, an index into choices[] */
} ch_setting_kind;

/** One row of a table: one field of a settings struct. */
typedef struct ch_setting {
    /** Name of the setting, such as "exterior"; also of the flag and the Python keyword. */
    const char *name;
    ch_setting_kind kind;       /**< C type of the field */
    size_t offset;              /**< offset of the field in the settings struct, in bytes */
    double initial;             /**< default value; for a choice, an index into choices[] */
    double low, high;           /**< minimum and maximum allowed value */
    const char *const *choices; /**< CH_SETTING_CHOICE: names of the values, then NULL; else NULL */
    const char *value;          /**< placeholder of the value in help texts, such as "N" */
    const char *help;           /**< one sentence that explains the setting */
} ch_setting;

/** The description of a settings struct, whose first member must be `size_t size`. */
typedef struct ch_settings_table {
    const char *name;       /**< name of the struct, for messages */
    const ch_setting *rows; /**< one row per field */
    int count;              /**< number of rows */
    size_t size;            /**< size of the struct in this version of the library, in bytes */
} ch_settings_table;

/** Fills a settings struct of `size` bytes: its first member becomes `size`, members in the table
 *  get their defaults, and all other members become 0. */
CH_API void ch_settings_defaults(const ch_settings_table *table, void *settings, size_t size);
/** Checks that every field of the table is within its range and not NaN. Otherwise it returns
 *  CH_ERR_SETTING, and the message names the field, its value and the range. */
CH_API ch_status ch_settings_check(ch_context *context, const ch_settings_table *table,
                                   const void *settings);
/** Sets the field `name` from text such as "max" (a choice), "1e-9", "20", or for a flag "1" or
 *  "0". Returns CH_ERR_SETTING and leaves the field unchanged if the name is unknown or the text is
 *  not a valid value. */
CH_API ch_status ch_settings_set(ch_context *context, const ch_settings_table *table,
                                 void *settings, const char *name, const char *text);
/** Sets several fields from text such as "rank=5 loss=l1", separated by spaces. If one of them is
 *  not valid, none is set. */
CH_API ch_status ch_settings_set_words(ch_context *context, const ch_settings_table *table,
                                       void *settings, const char *words);
/** Returns the row of the setting `name`, or NULL if the table has none. */
CH_API const ch_setting *ch_settings_find(const ch_settings_table *table, const char *name);

CH_END_DECLS
#endif
