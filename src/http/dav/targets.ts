import { Problem } from '../../base/problem.ts';
import type {
  AnySpace,
  CalendarSpace,
  DavCollection,
  DavContent,
  DavDamaged,
  DavResource,
} from '../../service/ports/dav.ts';
import { collectionPath, pathOf, segmentsOf } from './dav-paths.ts';
import type { DavRequest } from './request.ts';

/** What a path leads to. */
export type Target =
  | { readonly kind: 'root' | 'principals' | 'principal' }
  | HomeTarget
  | { readonly kind: 'inbox' | 'outbox'; readonly space: CalendarSpace }
  | CollectionTarget
  | ResourceTarget
  | FreeTarget;

interface HomeTarget {
  readonly kind: 'home';
  readonly space: AnySpace;
}

export interface CollectionTarget {
  readonly kind: 'collection';
  readonly space: AnySpace;
  readonly collection: DavCollection;
}

export interface ResourceTarget {
  readonly kind: 'resource';
  readonly space: AnySpace;
  readonly collection: DavCollection;
  readonly name: string;
  /** known when it was listed or read */
  readonly resource?: DavResource | DavContent | DavDamaged;
}

/** A place in a home where no collection is. */
export interface FreeTarget {
  readonly kind: 'free';
  readonly space: AnySpace;
  readonly segment: string;
}

const PRINCIPALS = 'principals';
const scheduling: ReadonlySet<string> = new Set(['inbox', 'outbox']);

/** The spaces that a path is about: all, if it is about none. */
export function spacesAt(pathname: string, spaces: readonly AnySpace[]): readonly AnySpace[] {
  const [first] = segmentsOf(pathname) ?? [];
  const own = spaces.filter(({ root }) => root === first);
  return own.length > 0 ? own : spaces;
}

/**
 * What the path of a request leads to. What others have is not there.
 * @throws Problem missing NOT_FOUND
 */
export async function targetOf(request: DavRequest): Promise<Target> {
  return await targetAt(request, segmentsOf(request.pathname));
}

/** The same for segments of another address. @throws Problem missing NOT_FOUND */
export async function targetAt(request: DavRequest, segments: readonly string[] | undefined): Promise<Target> {
  const { ctx, actor, spaces } = request;
  if (segments === undefined) throw notThere();
  const [first, memberId, segment, name, ...more] = segments;
  if (first === undefined) return { kind: 'root' };
  if (first === PRINCIPALS) {
    if (memberId === undefined) return { kind: 'principals' };
    if (memberId === actor.memberId && segment === undefined) return { kind: 'principal' };
    throw notThere();
  }
  const space = spaces.find(({ root }) => root === first);
  if (space === undefined || memberId !== actor.memberId || more.length > 0) throw notThere();
  if (segment === undefined) return { kind: 'home', space };
  if (space.kind === 'calendar' && scheduling.has(segment)) {
    if (name === undefined) return { kind: segment === 'inbox' ? 'inbox' : 'outbox', space };
    throw notThere();
  }
  const collection = await space.collection(ctx, actor, segment);
  if (collection === undefined) {
    if (name === undefined) return { kind: 'free', space, segment };
    throw notThere();
  }
  return name === undefined ? { kind: 'collection', space, collection } : { kind: 'resource', space, collection, name };
}

export function notThere(): Problem {
  return new Problem('missing', 'NOT_FOUND', 'There is nothing at this address, or you may not know of it.');
}

/** The address of a target, as answers name it. */
export function addressOf({ actor: { memberId } }: Pick<DavRequest, 'actor'>, target: Target): string {
  switch (target.kind) {
    case 'root':
      return collectionPath();
    case 'principals':
      return collectionPath(PRINCIPALS);
    case 'principal':
      return collectionPath(PRINCIPALS, memberId);
    case 'home':
      return collectionPath(target.space.root, memberId);
    case 'inbox':
    case 'outbox':
      return collectionPath(target.space.root, memberId, target.kind);
    case 'collection':
      return collectionPath(target.space.root, memberId, target.collection.segment);
    case 'free':
      return collectionPath(target.space.root, memberId, target.segment);
    default:
      return pathOf(target.space.root, memberId, target.collection.segment, target.name);
  }
}

/** The address of a member's principal. */
export function principalPath(memberId: string): string {
  return collectionPath(PRINCIPALS, memberId);
}
