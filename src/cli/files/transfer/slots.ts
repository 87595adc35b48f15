/** Lets so much work go on at once, in the order in which it came. */
export interface Slots {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Chunks, and ranges, that are on their way side by side, whatever files they belong to. */
const SIDE_BY_SIDE = 8;

export function slots(count: number = SIDE_BY_SIDE): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return {
    async run(work) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

/** Hears of bytes on their way: fewer than none if some have to go again. `wasThere`: an earlier run has moved them. */
export type Moved = (bytes: number, wasThere?: boolean) => void;

/** Works through a list, some items side by side. The first error ends it, when the work that has begun is over. */
export async function eachOf<T>(
  items: Iterable<T>,
  work: (item: T, index: number) => Promise<void>,
  count: number = SIDE_BY_SIDE,
): Promise<void> {
  const left = [...items].entries();
  let failed: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) {
      if (failed !== undefined) return;
      try {
        await work(item, index);
      } catch (error) {
        failed ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: count }, worker));
  if (failed !== undefined) throw failed.error;
}
