import type { Work } from '../../../service/ports/task.ts';
import type { FilterJob } from './filter-task.ts';
import { buildFilter, type BuiltFilter } from './filter-tree.ts';

/** Builds in a thread, which transfers the filter. */
export const filterWork: Work<FilterJob, BuiltFilter> = ({ tags, salt, bits }, { transfer }) => {
  const built = buildFilter(tags, salt, bits);
  transfer.push(...built.levels.map(({ buffer }) => buffer));
  return built;
};
