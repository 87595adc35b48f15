import { H3 } from 'h3';
import { routesOf, type Routes } from '../../src/http/routes.ts';

/** An app of h3 with routes as the server makes them. */
export function routed(): { readonly h3: H3; readonly routes: Routes } {
  const h3 = new H3({ silent: true, onRequest: (event) => routes.open(event.url.pathname) });
  const routes = routesOf(h3, (_, allow) => new Response(null, { status: 405, headers: { allow } }));
  return { h3, routes };
}
