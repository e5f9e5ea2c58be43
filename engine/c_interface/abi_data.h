// Options, spaces and errors in the C interface of plug-ins (plugin_abi.h), for C and C++.
#ifndef ENGINE_C_INTERFACE_ABI_DATA_H_
#define ENGINE_C_INTERFACE_ABI_DATA_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8, not null-terminated. */
typedef struct envpool_text {
  const char* data;
  uint64_t bytes;
} envpool_text;
/* Initializes an envpool_text with a literal. */
#define ENVPOOL_LITERAL(text) {(text), sizeof(text) - 1}

/* ---- Errors. Report each once. Functions that return int return 0, or -1 after a report. */

enum {
  ENVPOOL_ERROR_FAILED = 0,
  ENVPOOL_ERROR_OPTION = 1,      /* the options do not fit together */
  ENVPOOL_ERROR_OPTION_TYPE = 2, /* an option has the wrong type */
  ENVPOOL_ERROR_INPUT = 3,       /* an action has the wrong value */
  ENVPOOL_ERROR_INPUT_TYPE = 4,  /* an action has the wrong type */
  ENVPOOL_ERROR_STATE = 5,       /* bytes that are not a saved state */
  ENVPOOL_ERROR_MEMORY = 6,      /* an allocation failed */
  ENVPOOL_ERROR_RENDER_MODE = 7, /* the environment does not support this render mode */
  ENVPOOL_ERROR_ROM = 8          /* a ROM file is missing or invalid */
};

typedef struct envpool_errors {
  void* context;
  /* `item` is the failed item of a call with items; the call continues with the others. In other
     calls it is 0. The engine uses a failed environment again only with ENVPOOL_REMAKE. */
  void (*report)(void* context, uint32_t item, uint32_t kind, envpool_text message);
} envpool_errors;

/* Reports an error and returns -1. */
static inline int envpool_fail(const envpool_errors* errors, uint32_t item, uint32_t kind,
                               const char* message) {
  envpool_text text;
  text.data = message;
  text.bytes = strlen(message);
  errors->report(errors->context, item, kind, text);
  return -1;
}

/* ---- Options. */

enum {
  ENVPOOL_VALUE_NONE = 0,
  ENVPOOL_VALUE_BOOL = 1,   /* integer: 0 or 1 */
  ENVPOOL_VALUE_INT = 2,    /* integer */
  ENVPOOL_VALUE_FLOAT = 3,  /* number */
  ENVPOOL_VALUE_TEXT = 4,   /* text */
  ENVPOOL_VALUE_INTS = 5,   /* items: int64_t */
  ENVPOOL_VALUE_FLOATS = 6, /* items: double */
  ENVPOOL_VALUE_TEXTS = 7,  /* items: envpool_text */
  ENVPOOL_VALUE_TABLE = 8   /* items: envpool_entry */
};

typedef struct envpool_entry {
  envpool_text name;
  const double* numbers;
  uint64_t count;
} envpool_entry;

typedef struct envpool_value {
  uint32_t type;
  uint32_t reserved; /* 0 */
  int64_t integer;
  double number;
  envpool_text text;
  const void* items;
  uint64_t count; /* of items */
} envpool_value;

enum {
  ENVPOOL_OPTION_HAS_LOW = 1,
  ENVPOOL_OPTION_HAS_HIGH = 2,
  ENVPOOL_OPTION_ONE_IS_LIST = 4,  /* a single element is accepted as a list of one */
  ENVPOOL_OPTION_OR_NAME = 8,      /* a text is accepted in place of an int */
  ENVPOOL_OPTION_FIXED = 16,       /* hidden from users; the id determines the value */
  ENVPOOL_OPTION_TAKES_NONE = 32,  /* None is accepted */
  ENVPOOL_OPTION_NONE_DEFAULT = 64 /* None is the default, and is accepted */
};

/* Describes an option that users may set. Its type is that of default_value. */
typedef struct envpool_option {
  envpool_text name;
  envpool_text doc; /* one line: meaning and unit */
  envpool_value default_value;
  uint64_t flags;
  double low; /* inclusive */
  double high;
  const envpool_text* choices; /* texts only; empty: any text */
  uint64_t num_choices;
} envpool_option;

typedef struct envpool_named_value {
  envpool_text name;
  envpool_value value;
} envpool_named_value;

/* The checked value of each option, in the order of the task's options. */
typedef struct envpool_options {
  const envpool_named_value* values;
  uint64_t count;
} envpool_options;

/* ---- Attributes. */

enum {
  ENVPOOL_ATTRIBUTE_FLOAT = 0,
  ENVPOOL_ATTRIBUTE_INT = 1,  /* whole numbers, at most 2^53 */
  ENVPOOL_ATTRIBUTE_BOOL = 2, /* 0 or 1 */
  ENVPOOL_ATTRIBUTE_TEXT = 3  /* the index of a choice */
};

/* A constant of an environment that may be changed at any time. Values of every type are doubles,
   and never NaN. */
typedef struct envpool_attribute {
  envpool_text name;
  uint32_t type;
  uint32_t elements; /* of a tuple; 0: the value is one number */
  double low;        /* of each element, inclusive */
  double high;
  const envpool_text* choices; /* texts only */
  uint64_t num_choices;
  const double* value; /* before a change: one number, or one per element */
} envpool_attribute;

typedef struct envpool_attributes_receiver {
  void* context;
  void (*take)(void* context, const envpool_attribute* attributes, uint64_t count);
} envpool_attributes_receiver;

/* ---- Spaces. */

enum {
  ENVPOOL_BOOL = 0,
  ENVPOOL_INT8 = 1,
  ENVPOOL_INT16 = 2,
  ENVPOOL_INT32 = 3,
  ENVPOOL_INT64 = 4,
  ENVPOOL_UINT8 = 5,
  ENVPOOL_UINT16 = 6,
  ENVPOOL_UINT32 = 7,
  ENVPOOL_UINT64 = 8,
  ENVPOOL_FLOAT32 = 9,
  ENVPOOL_FLOAT64 = 10
};

enum {
  ENVPOOL_BOX = 0,
  ENVPOOL_DISCRETE = 1, /* int64, in [start, start + n - 1] */
  ENVPOOL_MULTI_DISCRETE = 2,
  ENVPOOL_MULTI_BINARY = 3,
  ENVPOOL_TEXT = 4, /* observations only: at most shape[0] characters of ASCII, then zeros */
  ENVPOOL_DICT = 5,
  ENVPOOL_TUPLE = 6
};

/* A space with Gymnasium's meaning. Leaves are numbered depth first. */
typedef struct envpool_space {
  uint32_t kind;
  uint32_t dtype;       /* boxes; other spaces have Gymnasium's: int64, or int8 if binary */
  const int64_t* shape; /* of a box; the number of elements of a binary space or a text */
  uint64_t num_dimensions;
  const void* low; /* boxes: inclusive, of type dtype; one, or one per element */
  uint64_t num_low;
  const void* high;
  uint64_t num_high;
  int64_t n; /* discrete spaces */
  int64_t start;
  const int64_t* nvec; /* multi-discrete spaces */
  uint64_t num_nvec;
  envpool_text key; /* of this space in the parent dict */
  const struct envpool_space* children;
  uint64_t num_children;
} envpool_space;

enum {
  ENVPOOL_INFO_WIDENS_PREVIOUS = 1 /* the float64 form of the previous info, which is float32 */
};

typedef struct envpool_info {
  envpool_text name;
  uint32_t dtype;
  uint32_t flags;
  const int64_t* shape;
  uint64_t num_dimensions;
} envpool_info;

typedef struct envpool_spec {
  uint64_t size;
  envpool_space observation;
  envpool_space action;
  uint32_t clips_actions; /* 1: out-of-bounds box actions reach step; 0: they are rejected */
  uint32_t has_picture;   /* 1: picture_height, picture_width and picture_fps are set */
  const envpool_info* infos;
  uint64_t num_infos;
  int64_t picture_height; /* pixels */
  int64_t picture_width;
  int64_t picture_fps;
  int64_t scene_size; /* doubles in a scene, which Python draws; 0: no scene */
  int64_t frame_skip; /* emulator frames per step; 1 without an emulator */
} envpool_spec;

typedef struct envpool_spec_receiver {
  void* context;
  void (*take)(void* context, const envpool_spec* spec);
} envpool_spec_receiver;

typedef struct envpool_bytes_receiver {
  void* context;
  void (*append)(void* context, const void* bytes, uint64_t count);
} envpool_bytes_receiver;

#ifdef __cplusplus
}
#endif

#endif /* ENGINE_C_INTERFACE_ABI_DATA_H_ */
