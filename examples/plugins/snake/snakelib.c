#include "snakelib.h"

#include <stdlib.h>
#include <string.h>

/* `ring`: the cells of the snake from tail to head, a ring buffer of rows * columns elements. */
struct snake_game {
  int32_t rows, columns;
  int32_t tail, length;
  int32_t direction, food;
  uint64_t random;
  int32_t* ring;
};

static int32_t cells_of(const snake_game* game) { return game->rows * game->columns; }

static int32_t cell_at(const snake_game* game, int32_t i) {
  return game->ring[(game->tail + i) % cells_of(game)];
}

/* xorshift64* */
static uint64_t draw(snake_game* game) {
  uint64_t x = game->random;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  game->random = x;
  return x * UINT64_C(0x2545F4914F6CDD1D);
}

static int is_body(const snake_game* game, int32_t cell) {
  for (int32_t i = 0; i < game->length; ++i)
    if (cell_at(game, i) == cell) return 1;
  return 0;
}

/* Returns a random free cell, or -1 on a full board. */
static int32_t free_cell(snake_game* game) {
  const int32_t free_cells = cells_of(game) - game->length;
  if (free_cells == 0) return -1;
  int32_t number = (int32_t)(draw(game) % (uint64_t)free_cells);
  for (int32_t cell = 0;; ++cell)
    if (!is_body(game, cell) && number-- == 0) return cell;
}

snake_game* snake_new(int32_t rows, int32_t columns) {
  if (rows < 3 || columns < 3 || rows > INT32_MAX / columns) return NULL;
  snake_game* const game = calloc(1, sizeof(*game));
  if (game == NULL) return NULL;
  game->rows = rows;
  game->columns = columns;
  game->ring = calloc((size_t)(rows * columns), sizeof(*game->ring));
  if (game->ring == NULL) {
    free(game);
    return NULL;
  }
  snake_restart(game, 1);
  return game;
}

void snake_free(snake_game* game) {
  if (game == NULL) return;
  free(game->ring);
  free(game);
}

void snake_restart(snake_game* game, uint64_t seed) {
  game->random = seed | 1;
  game->tail = 0;
  game->length = 2;
  game->direction = 1;
  const int32_t middle = game->rows / 2 * game->columns + game->columns / 2;
  memset(game->ring, 0, (size_t)cells_of(game) * sizeof(*game->ring));
  game->ring[0] = middle - 1;
  game->ring[1] = middle;
  game->food = free_cell(game);
}

enum snake_event snake_move(snake_game* game, int direction) {
  static const int32_t down[] = {-1, 0, 1, 0}, right[] = {0, 1, 0, -1};
  if (direction < 0 || direction > 3) return SNAKE_BAD_DIRECTION;
  if ((direction + 2) % 4 != game->direction) game->direction = direction;
  const int32_t head = cell_at(game, game->length - 1);
  const int32_t row = head / game->columns + down[game->direction];
  const int32_t column = head % game->columns + right[game->direction];
  if (row < 0 || row >= game->rows || column < 0 || column >= game->columns) return SNAKE_DIED;
  const int32_t cell = row * game->columns + column;
  if (cell == game->food) {
    game->ring[(game->tail + game->length++) % cells_of(game)] = cell;
    game->food = free_cell(game);
    return SNAKE_ATE;
  }
  game->tail = (game->tail + 1) % cells_of(game);
  --game->length; /* the tail leaves its cell before the head arrives */
  if (is_body(game, cell)) {
    ++game->length;
    game->tail = (game->tail + cells_of(game) - 1) % cells_of(game);
    return SNAKE_DIED;
  }
  game->ring[(game->tail + game->length++) % cells_of(game)] = cell;
  return SNAKE_MOVED;
}

void snake_board(const snake_game* game, uint8_t* cells) {
  memset(cells, 0, (size_t)cells_of(game));
  if (game->food >= 0) cells[game->food] = 3;
  for (int32_t i = 0; i < game->length; ++i) cells[cell_at(game, i)] = 1;
  cells[cell_at(game, game->length - 1)] = 2;
}

int32_t snake_length(const snake_game* game) { return game->length; }

/* The fixed-size members and the ring. */
size_t snake_state_size(const snake_game* game) {
  return 6 * sizeof(int32_t) + sizeof(uint64_t) + (size_t)cells_of(game) * sizeof(int32_t);
}

void snake_save(const snake_game* game, void* bytes) {
  const int32_t numbers[6] = {game->rows,   game->columns,   game->tail,
                              game->length, game->direction, game->food};
  char* out = bytes;
  memcpy(out, numbers, sizeof(numbers));
  memcpy(out + sizeof(numbers), &game->random, sizeof(game->random));
  memcpy(out + sizeof(numbers) + sizeof(game->random), game->ring,
         (size_t)cells_of(game) * sizeof(*game->ring));
}

int snake_load(snake_game* game, const void* bytes) {
  const char* in = bytes;
  const int32_t cells = cells_of(game);
  int32_t numbers[6];
  memcpy(numbers, in, sizeof(numbers));
  if (numbers[0] != game->rows || numbers[1] != game->columns) return 0;
  if (numbers[2] < 0 || numbers[2] >= cells || numbers[3] < 1 || numbers[3] > cells) return 0;
  if (numbers[4] < 0 || numbers[4] > 3 || numbers[5] < -1 || numbers[5] >= cells) return 0;
  const char* const ring = in + sizeof(numbers) + sizeof(game->random);
  for (int32_t i = 0; i < cells; ++i) {
    int32_t cell;
    memcpy(&cell, ring + (size_t)i * sizeof(cell), sizeof(cell));
    if (cell < 0 || cell >= cells) return 0;
  }
  game->tail = numbers[2];
  game->length = numbers[3];
  game->direction = numbers[4];
  game->food = numbers[5];
  memcpy(&game->random, in + sizeof(numbers), sizeof(game->random));
  memcpy(game->ring, ring, (size_t)cells * sizeof(*game->ring));
  return 1;
}
