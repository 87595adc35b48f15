import type { DavRequest } from '../request.ts';
import type { Target } from '../targets.ts';

/** The XML inside of a property; undefined if the target has no such property. */
export type PropertyValue = string | undefined | Promise<string | undefined>;

/** Properties of a kind of targets, by their names. */
export type PropertyTable<T extends Target = Target> = Readonly<
  Record<string, (request: DavRequest, target: T) => PropertyValue>
>;
