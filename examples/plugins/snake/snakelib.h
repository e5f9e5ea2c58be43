/* An example of an existing C library: it does not depend on envpool_py, keeps a game on the heap,
 * and reports errors as codes. */
#ifndef SNAKELIB_H_
#define SNAKELIB_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snake_game snake_game;

enum snake_event { SNAKE_MOVED, SNAKE_ATE, SNAKE_DIED, SNAKE_BAD_DIRECTION = -1 };

/* Returns NULL if the board has fewer than 3 rows or columns or more than INT32_MAX cells, or if an
 * allocation fails. */
snake_game* snake_new(int32_t rows, int32_t columns);
void snake_free(snake_game* game);

/* Starts again; `seed` determines where food appears. */
void snake_restart(snake_game* game, uint64_t seed);
/* Directions: 0 up, 1 right, 2 down, 3 left; a turn back is ignored. */
enum snake_event snake_move(snake_game* game, int direction);

/* Writes rows * columns bytes: 0 empty, 1 body, 2 head, 3 food. */
void snake_board(const snake_game* game, uint8_t* cells);
int32_t snake_length(const snake_game* game);

/* The size of a game's state in bytes; saves the state to memory; loads it. snake_load returns 1,
 * or 0 if the bytes are not a state of a board of this size. */
size_t snake_state_size(const snake_game* game);
void snake_save(const snake_game* game, void* bytes);
int snake_load(snake_game* game, const void* bytes);

#ifdef __cplusplus
}
#endif

#endif /* SNAKELIB_H_ */
