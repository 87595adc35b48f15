import { randomBytes, type X509Certificate } from 'node:crypto';
import { access, chmod, mkdir, open, rename } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config, TlsFiles } from '../../config/config.ts';
import type { Log } from '../../base/log.ts';
import { isAnyHost } from './addresses.ts';
import { readTlsPair, type TlsPair } from './tls-pair.ts';

export interface ServerCertificate {
  readonly pair: TlsPair;
  /** SHA-256 of the certificate: bytes in hex, separated by colons */
  readonly fingerprint: string;
}

const DAY_MS = 86_400_000;

/**
 * The certificate for HTTPS: the configured one, or one that the node created for itself once and keeps in `<data>/tls`.
 *
 * @returns undefined without TLS
 * @throws Problem invalid CERTIFICATE_INVALID
 */
export async function serverCertificate(config: Config, now: number, log: Log): Promise<ServerCertificate | undefined> {
  if (config.tls === undefined) return undefined;
  const names = namesOf(config);
  const files = config.tls === 'self-signed' ? await ownFiles(config.dataDir, names, now) : config.tls;
  const { pair, certificate } = await readTlsPair(files);
  warnOfTimes(certificate, { file: files.certFile, now, log });
  if (config.tls === 'self-signed') {
    const unnamed = names.filter((name) => !isNamed(certificate, name));
    if (unnamed.length > 0)
      log.warn('the self-signed certificate does not have all names; delete its folder to get a new one', {
        unnamed,
        folder: join(config.dataDir, 'tls'),
      });
  }
  return { pair, fingerprint: certificate.fingerprint256 };
}

/** A certificate that has expired is served all the same: clients refuse it with a reason, and a server that is down gives none. */
function warnOfTimes(
  { validFrom, validTo }: X509Certificate,
  { file, now, log }: { readonly file: string; readonly now: number; readonly log: Log },
): void {
  const daysLeft = (Date.parse(validTo) - now) / DAY_MS;
  if (daysLeft < 14)
    log.warn(daysLeft < 0 ? 'the certificate has expired' : 'the certificate expires soon', { file, validTo });
  if (Date.parse(validFrom) > now) log.warn('the certificate is not valid yet', { file, validFrom });
}

function isNamed(certificate: X509Certificate, name: string): boolean {
  return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
}

function namesOf({ host, tlsNames }: Config): string[] {
  const own = isAnyHost(host) ? [hostname()] : [host];
  return [...new Set(['localhost', '127.0.0.1', '::1', ...own, ...tlsNames])].filter((name) => name !== '');
}

async function ownFiles(dataDir: string, names: readonly string[], now: number): Promise<TlsFiles> {
  const folder = join(dataDir, 'tls');
  const files = {
    certFile: join(folder, 'certificate.pem'),
    keyFile: join(folder, 'key.pem'),
    keyPassphraseFile: undefined,
  };
  // The certificate is written last, so a certificate on disk always has its key.
  if (await isThere(files.certFile)) return files;
  const { selfSignedCertificate } = await import('./self-signed.ts');
  const made = await selfSignedCertificate(names, now);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  await writeSecretly(files.keyFile, made.key);
  await writeSecretly(files.certFile, made.certificate);
  return files;
}

async function writeSecretly(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}

/** What is there and can't be read is there too: reading it says why. */
async function isThere(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
}
