/* A zip archive of stored members, by libarchive. */
#include "io/file/format.h"
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

static la_ssize_t pass_on(struct archive *archive, void *output, const void *bytes, size_t count) {
    (void)archive;
    return ch_output_file_write(output, bytes, count) == CH_OK ? (la_ssize_t)count : -1;
}

static int put(struct archive *archive, const void *bytes, int64_t count) {
    return count == 0 || archive_write_data(archive, bytes, (size_t)count) == count;
}

static int write_member(struct archive *archive, struct archive_entry *entry,
                        const chi_zip_member *member) {
    archive_entry_clear(entry);
    archive_entry_set_pathname(entry, member->name);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, member->head_bytes + member->body_bytes);
    return archive_write_header(archive, entry) == ARCHIVE_OK &&
           put(archive, member->head, member->head_bytes) &&
           put(archive, member->body, member->body_bytes);
}

ch_status chi_zip_write(ch_context *context, ch_output_file *output, const char *path, int count,
                        void (*describe)(void *user, int i, chi_zip_member *member), void *user) {
    struct archive *archive = archive_write_new();
    struct archive_entry *entry = archive_entry_new();
    ch_status status = archive && entry ? CH_OK : chi_no_memory(context, "an archive", 1, 1 << 16);
    if (status == CH_OK) {
        chi_zip_member member;
        int fine = archive_write_set_format_zip(archive) == ARCHIVE_OK &&
                   archive_write_zip_set_compression_store(archive) == ARCHIVE_OK &&
                   archive_write_set_bytes_in_last_block(archive, 1) == ARCHIVE_OK &&
                   archive_write_open(archive, output, NULL, pass_on, NULL) == ARCHIVE_OK;
        for (int i = 0; i < count && fine; i++) {
            describe(user, i, &member);
            fine = write_member(archive, entry, &member);
        }
        fine = fine && archive_write_close(archive) == ARCHIVE_OK;
        if (!fine) {
            const char *words = archive_error_string(archive);
            status = chi_fail(context, archive_errno(archive) == ENOMEM ? CH_ERR_MEMORY : CH_ERR_IO,
                              "%s: cannot write the archive: %s", path,
                              words ? words : ch_context_message(context));
        }
    }
    archive_entry_free(entry);
    archive_write_free(archive);
    return status;
}
