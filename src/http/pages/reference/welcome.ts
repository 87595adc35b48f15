import type { Config } from '../../../config/config.ts';
import { reference } from '../../../contract/reference.ts';
import { html, nothing, prose } from './html.ts';
import type { Guide } from './guides.ts';
import { shell } from './shell.ts';

/** Information for anybody who knows the address of the server. */
export interface WelcomeDetails {
  readonly name: 'Conclave';
  readonly version: string;
  /** the address that the client used for the server; `ADDRESS` if it can't be repeated safely */
  readonly server: string;
  readonly connect: string;
  readonly reference: string;
  readonly openapi: string;
}

export function welcomeDetails(
  { tls, trustedProxies }: Pick<Config, 'tls' | 'trustedProxies'>,
  version: string,
  request: Request,
): WelcomeDetails {
  const { protocol, host } = new URL(request.url);
  // A proxy that ends TLS sets this header. A client that sets it deceives only itself, because nobody caches the answer.
  const secure = trustedProxies.length > 0 && request.headers.get('x-forwarded-proto') === 'https';
  const server = isPlain(host) ? `${secure ? 'https:' : protocol}//${host}` : 'ADDRESS';
  const ca = tls === 'self-signed' ? ' --ca sha256:FINGERPRINT' : '';
  return {
    name: 'Conclave',
    version,
    server,
    connect: `conclave login NAME --server ${server}${ca}`,
    reference: reference.page.path,
    openapi: reference.document.path,
  };
}

/** The text is pasted into a shell, so it has no characters with a meaning there. */
function isPlain(host: string): boolean {
  return /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/.test(host);
}

export function welcomePage(details: WelcomeDetails, guides: readonly Guide[]): string {
  const body = html`<h1>Conclave</h1>
    <p>A self-hosted, encrypted home for a group of people. This server runs Conclave ${details.version}.</p>
    <h2>Connect</h2>
    <p>Run this on your own machine, with your name:</p>
    <pre><code>${details.connect}</code></pre>
    ${
      details.connect.includes('--ca')
        ? html`<p>
            ${prose('The certificate is self-signed. `conclave serve` prints its fingerprint at the start. Get the fingerprint from the person who runs the server, over a channel that you trust.')}
          </p>`
        : nothing
    }
    <p>
      ${prose('If you have no account, register first: `conclave account register` has the same options. Then `conclave vault` has your passwords.')}
    </p>
    <h2>Read on</h2>
    <ul>
      ${guides.map(({ name, title }) => html`<li><a href="${reference.guide.path.replace(':name', name)}">${title}</a></li>`)}
      <li><a href="${details.reference}">Reference of the interface</a>, for programs</li>
    </ul>`;
  return shell('Conclave', guides, body);
}
