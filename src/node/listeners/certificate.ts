import { createPrivateKey, randomBytes, X509Certificate, type KeyObject } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/config.ts';
import type { Log } from '../../base/log.ts';
import { Problem } from '../../base/problem.ts';
import { isAnyHost } from './addresses.ts';

export interface ServerCertificate {
  readonly certFile: string;
  readonly keyFile: string;
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
  const certificate = await checkedPair(files.certFile, files.keyFile);
  const daysLeft = (Date.parse(certificate.validTo) - now) / DAY_MS;
  if (daysLeft < 14)
    log.warn(daysLeft < 0 ? 'the certificate has expired' : 'the certificate expires soon', {
      validTo: certificate.validTo,
    });
  const unnamed = names.filter(
    (name) => certificate.checkHost(name) === undefined && certificate.checkIP(name) === undefined,
  );
  if (config.tls === 'self-signed' && unnamed.length > 0) {
    log.warn('the self-signed certificate does not have all names; delete its folder to get a new one', {
      unnamed,
      folder: join(config.dataDir, 'tls'),
    });
  }
  return { ...files, fingerprint: certificate.fingerprint256 };
}

function namesOf({ host, tlsNames }: Config): string[] {
  const own = isAnyHost(host) ? [hostname()] : [host];
  return [...new Set(['localhost', '127.0.0.1', '::1', ...own, ...tlsNames])].filter((name) => name !== '');
}

async function ownFiles(
  dataDir: string,
  names: readonly string[],
  now: number,
): Promise<{ certFile: string; keyFile: string }> {
  const folder = join(dataDir, 'tls');
  const files = { certFile: join(folder, 'certificate.pem'), keyFile: join(folder, 'key.pem') };
  const there = await readPem(files.certFile);
  // The certificate is written last, so a certificate on disk always has its key.
  if (there !== undefined) return files;
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

async function checkedPair(certFile: string, keyFile: string): Promise<X509Certificate> {
  const [certificateText, keyText] = [await readPem(certFile), await readPem(keyFile)];
  if (certificateText === undefined) throw invalid(`${certFile}: there is no such file.`);
  if (keyText === undefined) throw invalid(`${keyFile}: there is no such file.`);
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(certificateText);
  } catch {
    throw invalid(`${certFile}: is not a certificate in PEM.`);
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(keyText);
  } catch {
    throw invalid(`${keyFile}: is not an unencrypted private key in PEM.`);
  }
  if (!certificate.checkPrivateKey(key)) throw invalid(`${keyFile}: is not the key of the certificate in ${certFile}.`);
  return certificate;
}

async function readPem(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw invalid(`${file}: can't be read (${code}).`);
  }
}

function invalid(message: string): Problem {
  return new Problem('invalid', 'CERTIFICATE_INVALID', message);
}
