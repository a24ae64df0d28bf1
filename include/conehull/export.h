/* Marks what the shared library exports; everything else is hidden. */
#ifndef CONEHULL_EXPORT_H
#define CONEHULL_EXPORT_H

#if defined(__GNUC__)
#define CH_API __attribute__((visibility("default")))
#else
#define CH_API
#endif

#endif
