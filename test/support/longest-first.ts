import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import remembered from './durations.json' with { type: 'json' };

const seconds: Readonly<Record<string, number>> = remembered;

/**
 * Begins with the files that take longest, so that none of them is left to one worker at the end. What vitest remembers of the last
 * run is missing on a fresh checkout: `scripts/test --remember` writes the slowest files down.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const of = (file: TestSpecification): number => seconds[relative(this.ctx.config.root, file.moduleId)] ?? 0;
    return usual.toSorted((one, other) => of(other) - of(one));
  }
}
