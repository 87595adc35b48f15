import type { H3, H3Event } from 'h3';
import type { Method } from '../contract/operation.ts';

/** Answers a request for a path. */
type Answer = (event: H3Event) => Response | Promise<Response>;

/** Where operations are registered with their paths. */
export interface Routes {
  /** @param path as the contract writes it: `:id` is one segment, `*rest` everything behind */
  on(method: Method | 'HEAD', path: string, answer: Answer): void;
}

/** How many literal segments of a path decide when its route is made. */
const MOST = 3;

/**
 * The routes of an app, made when the first request comes whose path begins as theirs do. A process that answers one command needs a
 * handful, and to make all of them takes tens of milliseconds.
 *
 * @param otherwise answers the other methods of a path; `allow` names those that it has
 */
export function routesOf(
  h3: H3,
  otherwise: (event: H3Event, allow: string) => Response | Promise<Response>,
): Routes & { /** before a request is routed */ open(pathname: string): void } {
  const waiting = new Map<string, [method: Method | 'HEAD', path: string, answer: Answer][]>();

  function make(beginning: string): void {
    const routes = waiting.get(beginning);
    if (routes === undefined) return;
    waiting.delete(beginning);
    const methods = new Map<string, Set<string>>();
    for (const [method, path, answer] of routes) {
      h3.on(method, routeOf(path), answer);
      // To the router, paths are the same if they differ only in the names of their parameters.
      let parameters = 0;
      const shape = path.replaceAll(/:\w+/g, () => `:x${(parameters += 1)}`);
      methods.set(shape, (methods.get(shape) ?? new Set()).add(method));
    }
    for (const [path, known] of methods) {
      const allow = [...known].join(', ');
      h3.all(routeOf(path), (event) => otherwise(event, allow));
    }
  }

  return {
    on(method, path, answer) {
      const beginning = beginningOf(path);
      const known = waiting.get(beginning);
      if (known === undefined) waiting.set(beginning, [[method, path, answer]]);
      else known.push([method, path, answer]);
    },
    open(pathname) {
      if (waiting.size === 0) return;
      make('');
      let at = 0;
      for (let segments = 0; segments < MOST && at >= 0 && at < pathname.length; segments += 1) {
        at = pathname.indexOf('/', at + 1);
        make(at < 0 ? pathname : pathname.slice(0, at));
      }
    },
  };
}

/** The literal segments that a path begins with, as far as they count. */
function beginningOf(path: string): string {
  const segments = path.split('/').slice(1);
  const variable = segments.findIndex((segment) => segment === '' || /^[:*]/.test(segment));
  return segments
    .slice(0, Math.min(MOST, variable < 0 ? segments.length : variable))
    .map((segment) => `/${segment}`)
    .join('');
}

/** Translates a path for h3, which writes the rest of a path as `**:name`. */
function routeOf(path: string): string {
  return path.replace(/\*(\w+)$/, '**:$1');
}
