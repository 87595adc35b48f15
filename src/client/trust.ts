import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { isIP } from 'node:net';
import { readFile } from 'node:fs/promises';
import { Problem } from '../base/problem.ts';
import { unbracketed } from './server-address.ts';
import { networkProblem } from './network-problem.ts';
import { wholeNumber } from '../base/whole-number.ts';

/** Certificates that a client trusts in addition to the system's authorities. */
export type Trust = { readonly certificates: string } | { readonly fingerprint: string };

/**
 * @param text the path of a PEM file, or `sha256:` and the fingerprint of the server's certificate: 32 bytes hex, with or without colons
 */
export async function readTrust(text: string): Promise<Trust> {
  if (/^sha256:/i.test(text)) {
    const digits = text.slice('sha256:'.length).replaceAll(/[:\s]/g, '').toUpperCase();
    if (!/^[0-9A-F]{64}$/.test(digits))
      throw new Problem('invalid', 'CA_INVALID', '--ca: a SHA-256 fingerprint has 64 hex digits.');
    return { fingerprint: digits };
  }
  let certificates: string;
  try {
    certificates = await readFile(text, 'utf8');
  } catch (cause) {
    throw new Problem('invalid', 'CA_INVALID', `--ca: ${text} cannot be read.`, { cause });
  }
  if (!certificates.includes('-----BEGIN CERTIFICATE-----')) {
    throw new Problem('invalid', 'CA_INVALID', `--ca: ${text} is not a PEM certificate.`);
  }
  return { certificates };
}

/** Opens a TLS connection and verifies it before anything is sent, so that a token cannot reach a wrong server. */
export async function secureSocket(base: URL, trust: Trust | undefined, timeoutMs: number): Promise<TLSSocket> {
  const host = unbracketed(base.hostname);
  const place = base.origin;
  const pinned = trust !== undefined && 'fingerprint' in trust ? trust.fingerprint : undefined;
  const options: ConnectionOptions = {
    host,
    port: wholeNumber(base.port) ?? 443,
    // For a pinned certificate, the comparison below replaces the check of the chain and the name.
    rejectUnauthorized: pinned === undefined,
    ...(isIP(host) === 0 && { servername: host }),
    ...(trust !== undefined && 'certificates' in trust && { ca: trust.certificates }),
  };
  return await new Promise((resolve, reject) => {
    const socket = connect(options);
    const fail = (error: Error) => {
      socket.destroy();
      reject(networkProblem(place, error));
    };
    socket.setTimeout(timeoutMs, () => fail(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerCertificate().fingerprint256.replaceAll(':', '');
      if (pinned !== undefined && shown !== pinned) {
        fail(Object.assign(new Error('another certificate'), { code: 'FINGERPRINT' }));
        return;
      }
      socket.setTimeout(0);
      socket.off('error', fail);
      resolve(socket);
    });
  });
}
