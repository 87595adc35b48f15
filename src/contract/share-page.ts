import * as v from 'valibot';
import { rawOperation, type Contract } from './operation.ts';
import { line } from './text.ts';

/** The page that opens share links in a browser. What it asks about a link are operations of the file vault. */
export const sharePage = {
  show: rawOperation({
    id: 'sharePage.show',
    method: 'GET',
    path: '/s/:token',
    envelope: 'system',
    auth: 'none',
    summary: 'Open a share link in a browser',
    description:
      'The same page for every token. It asks about the link itself, decrypts the file in the browser, and sends the part behind the # to nobody.',
    input: v.object({ token: line(200) }),
    status: 200,
    errors: [],
    accepts: [],
    produces: ['text/html'],
  }),
  script: asset('script', '/s/page.js', 'text/javascript', 'Get the script of the page of share links'),
  worker: asset('worker', '/s/worker.js', 'text/javascript', 'Get the script that streams downloads of share links'),
  style: asset('style', '/s/page.css', 'text/css', 'Get the style sheet of the page of share links'),
} satisfies Contract;

/** Their names have a dot, which no token has. */
function asset<const Name extends string>(name: Name, path: string, type: string, summary: string) {
  return rawOperation({
    id: `sharePage.${name}`,
    method: 'GET',
    path,
    envelope: 'system',
    auth: 'none',
    summary,
    description: 'It comes from this server alone, and loads nothing from others.',
    input: v.object({}),
    status: 200,
    errors: [],
    accepts: [],
    produces: [type],
  });
}
