import { generateKeyPair, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { promisify } from 'node:util';
import forge from 'node-forge';

export interface CertificatePair {
  /** PEM */
  readonly certificate: string;
  readonly key: string;
}

/** Clients pin the fingerprint or trust the certificate by hand, so frequent changes would cost more than they gain. */
const YEARS = 10;
const [TYPE_DNS, TYPE_IP] = [2, 7];

/** Creates a certificate that is its own authority, for these names and addresses. RSA 2048, because the library supports no curves. */
export async function selfSignedCertificate(
  names: readonly string[],
  nowMs: number,
  random: (size: number) => Buffer = randomBytes,
): Promise<CertificatePair> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.publicKeyFromPem(publicKey);
  // RFC 5280, 4.1.2.2: positive, at most 20 bytes. A first byte from 0x40 to 0x7f needs no padding, which the library gets wrong when a
  // number begins with zeros.
  const serial = random(16);
  serial.writeUInt8((serial.readUInt8(0) % 0x40) + 0x40, 0);
  certificate.serialNumber = serial.toString('hex');
  certificate.validity.notBefore = new Date(nowMs - 3_600_000);
  certificate.validity.notAfter = new Date(nowMs);
  certificate.validity.notAfter.setFullYear(certificate.validity.notAfter.getFullYear() + YEARS);
  const subject = [
    { name: 'commonName', value: names[0] ?? 'localhost' },
    { name: 'organizationName', value: 'Conclave' },
  ];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: false, critical: true },
    { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
    { name: 'extKeyUsage', serverAuth: true },
    {
      name: 'subjectAltName',
      altNames: names.map((name) => (isIP(name) === 0 ? { type: TYPE_DNS, value: name } : { type: TYPE_IP, ip: name })),
    },
    { name: 'subjectKeyIdentifier' },
  ]);
  certificate.sign(forge.pki.privateKeyFromPem(privateKey), forge.md.sha256.create());
  return { certificate: forge.pki.certificateToPem(certificate), key: privateKey };
}
