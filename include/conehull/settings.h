/* Settings: every settings struct has a table that describes its fields. Defaults, range checks,
 * command-line options, Python keywords and the reference page are derived from this table.
 *
 * The first member of a settings struct is its size in bytes. Each struct has a function that sets
 * the size and all defaults, such as ch_anchors_defaults(&set). ch_settings_defaults(table, &set,
 * sizeof set) does this for any table. The size lets a program and a library of different versions
 * work together: fields that only the library knows get their defaults; fields that only the
 * program knows must be zero, otherwise the call fails with CH_ERR_ARGUMENT. */
#ifndef CONEHULL_SETTINGS_H
#define CONEHULL_SETTINGS_H

#include <conehull/context.h>

CH_BEGIN_DECLS

/** The C type of a setting's field. */
typedef enum ch_setting_kind {
    CH_SETTING_INT,   /**< int64_t */
    CH_SETTING_REAL,  /**< double */
    CH_SETTING_FLAG,  /**< int, 0 or 1 */
    CH_SETTING_CHOICE /**< int or enum: an index, from 0, into ch_setting.choices */
} ch_setting_kind;

/** One row of a table: one field of a settings struct. */
typedef struct ch_setting {
    /** Name of the setting, such as "exterior". The command-line option (--exterior) and the Python
     *  keyword have the same name. */
    const char *name;
    ch_setting_kind kind; /**< C type of the field */
    size_t offset;        /**< offset of the field in the settings struct, in bytes */
    double initial; /**< default value; CH_SETTING_CHOICE: the index of the default in `choices` */
    double low, high; /**< smallest and largest allowed value */
    /** CH_SETTING_CHOICE: names of the allowed values, followed by NULL; other kinds: NULL. */
    const char *const *choices;
    const char *value; /**< placeholder for the value in help texts, such as "N"; NULL for a flag */
    const char *help;  /**< text that explains the setting to users */
} ch_setting;

/** The description of a settings struct. The first member of the settings struct must be `size_t
 *  size`. */
typedef struct ch_settings_table {
    const char *name;       /**< name of the settings in messages, such as "anchors" */
    const ch_setting *rows; /**< the rows, one per field of the settings struct */
    int count;              /**< number of rows */
    size_t size; /**< size of the settings struct in this version of the library, in bytes */
} ch_settings_table;

/** Fills a settings struct of `size` bytes: the first member becomes `size`, members that the table
 *  lists get their defaults, and all other members become 0. */
CH_API void ch_settings_defaults(const ch_settings_table *table, void *settings, size_t size);
/** Checks that every field that the table lists is within its range and not NaN. Returns CH_OK, or
 *  CH_ERR_SETTING with a message that names the first bad field, its value and its range. */
CH_API ch_status ch_settings_check(ch_context *context, const ch_settings_table *table,
                                   const void *settings);
/** Sets the field called `name` to the value in `text`: a number such as "20" or "1e-9", the name
 *  of a choice such as "max", or "0" or "1" for a flag. Returns CH_ERR_SETTING and leaves the field
 *  unchanged if the name is unknown or the text is not a valid value. */
CH_API ch_status ch_settings_set(ch_context *context, const ch_settings_table *table,
                                 void *settings, const char *name, const char *text);
/** Sets several fields from a text of the form name=value, separated by spaces, such as "rank=5
 *  loss=l1". If a name or a value is not valid, the call returns CH_ERR_SETTING and changes no
 *  field. */
CH_API ch_status ch_settings_set_words(ch_context *context, const ch_settings_table *table,
                                       void *settings, const char *words);
/** Returns the row of the setting called `name`, or NULL if the table has no such setting. The row
 *  belongs to the table. */
CH_API const ch_setting *ch_settings_find(const ch_settings_table *table, const char *name);

CH_END_DECLS
#endif
