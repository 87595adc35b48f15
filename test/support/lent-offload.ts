import { createOffload } from '../../src/platform/workers/offload.ts';
import type { Offload } from '../../src/service/ports/workers.ts';

/**
 * The threads of this process, which its houses share: a thread begins by compiling what it runs, which takes longer than most of its
 * work, and knows nothing of whoever asked before. It ends by itself when nobody asks for a while.
 */
let offload: Offload | undefined;

export function lentOffload(): Offload {
  offload ??= createOffload();
  return offload;
}
