/* Ghosts: things that stood in front of the camera for most of a clip and so became background.
 *
 * A background that is right for most frames holds whoever stood there for most of them; masks then
 * miss that person, and report one who is not there when the place is empty. This finds such places
 * after a separation and puts the empty place into the background:
 *
 *     ch_separate(context, &parts, &X, &set);
 *     ch_separation *planes[] = {&parts};
 *     const ch_matrix *clips[] = {&X};
 *     ch_ghosts ghosts = {.size = sizeof ghosts};
 *     ch_frame_shape shape = {width, height, 1};
 *     ch_ghosts_remove(context, &ghosts, planes, clips, &shape);
 *
 * Works on every method that has factors; the median over a window has none and is left alone.
 *
 * Experimental (library conehull_video): may change in any version. */
#ifndef CONEHULL_GHOSTS_H
#define CONEHULL_GHOSTS_H

#include <conehull/frame.h>
#include <conehull/separate.h>

CH_BEGIN_DECLS

/** What was found. */
typedef struct ch_ghosts {
    size_t size;       /**< sizeof(ch_ghosts); the caller sets it */
    int64_t looked_at; /**< places that do not look the same all the time                       */
    int64_t removed;   /**< of them: those where the background was changed                     */
    int64_t pixels;    /**< in the places that were changed                                     */
    char reason[200];  /**< in words                                                            */
} ch_ghosts;

/** Removes ghosts from separations of a clip: H of the pixels concerned is multiplied by a number.
 *  The first plane decides where (luma), all planes are changed: 1 to 4 of them. ghosts may
 *  be NULL. Fewer than 20 frames are left as they are: too few to tell. Memory: 90 bytes a pixel.
 * CH_STOP_CANCELLED leaves the first planes changed and the others not. */
CH_API ch_status ch_ghosts_remove(ch_context *context, ch_ghosts *ghosts,
                                  ch_separation *const *parts, const ch_matrix *const *X,
                                  const ch_frame_shape *shape);

CH_END_DECLS
#endif
