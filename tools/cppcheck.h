/* Loops of Jansson, whose headers cppcheck does not see. */
#define json_array_foreach(array, index, value) \
    for ((index) = 0; ((value) = json_array_get((array), (index))); (index)++)
#define json_object_foreach(object, key, value)                                             \
    for ((key) = json_object_first((object)); ((value) = json_object_get((object), (key))); \
         (key) = json_object_next((key)))
