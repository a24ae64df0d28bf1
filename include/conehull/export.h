/* Marks what the shared library exports; everything else is hidden. Headers declare their names
 * between CH_BEGIN_DECLS and CH_END_DECLS, which give them the linkage of C in a C++ program. */
#ifndef CONEHULL_EXPORT_H
#define CONEHULL_EXPORT_H

#if defined(__GNUC__)
#define CH_API __attribute__((visibility("default")))
#else
#define CH_API
#endif

#ifdef __cplusplus
#define CH_BEGIN_DECLS extern "C" {
#define CH_END_DECLS }
#else
#define CH_BEGIN_DECLS
#define CH_END_DECLS
#endif

#endif
