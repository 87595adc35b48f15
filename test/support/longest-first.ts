import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import remembered from './durations.json' with { type: 'json' };

const seconds: Readonly<Record<string, number>> = remembered;

/** For files that nothing is remembered of. */
const USUAL = 0.3;

/**
 * Begins with the files that take longest, so that none of them is left to one worker at the end, and gives each part of a run about as
 * much to do. What vitest remembers of the last run is missing on a fresh checkout: `scripts/test --remember` writes it down.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    return usual.toSorted((one, other) => this.#secondsOf(other) - this.#secondsOf(one));
  }

  override async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { index, count } = this.ctx.config.shard!;
    const weighed = files.map((file) => ({ name: this.#nameOf(file), seconds: this.#secondsOf(file), file }));
    return partsOf(weighed, count)[index - 1]!.map(({ file }) => file);
  }

  #nameOf(file: TestSpecification): string {
    return relative(this.ctx.config.root, file.moduleId).replaceAll('\\', '/');
  }

  #secondsOf(file: TestSpecification): number {
    return seconds[this.#nameOf(file)] ?? USUAL;
  }
}

interface Weighed {
  readonly name: string;
  readonly seconds: number;
}

/** Parts that take about as long, the same ones whatever the order of the files: the longest first, each to the part with the least. */
export function partsOf<T extends Weighed>(files: readonly T[], count: number): T[][] {
  const parts = Array.from({ length: count }, () => ({ seconds: 0, files: [] as T[] }));
  const inOrder = files.toSorted((one, other) => other.seconds - one.seconds || (one.name < other.name ? -1 : 1));
  for (const file of inOrder) {
    const least = parts.reduce((best, part) => (part.seconds < best.seconds ? part : best));
    least.files.push(file);
    least.seconds += file.seconds;
  }
  return parts.map((part) => part.files);
}
