import { Problem } from '../base/problem.ts';

/** Reasons for people, by the error code of the system or of OpenSSL. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused: nothing listens there',
  ENOENT: 'the connection was refused: nothing listens there',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'it took too long',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be resolved',
  EHOSTUNREACH: 'the machine cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EACCES: 'this user may not connect',
  EPERM: 'this user may not connect',
  HPE_INVALID_CONSTANT: 'it does not speak HTTP',
  EPROTO: 'it does not speak TLS',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  FINGERPRINT: 'its certificate is not the one given by --ca',
};

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** @param place the address or path of the attempt */
export function networkProblem(place: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = codeOf(error);
  if (untrusted.has(code)) {
    return new Problem(
      'network',
      'CERTIFICATE_UNTRUSTED',
      `${place}: this machine does not trust its certificate. If it is your server, give the file or the fingerprint of the certificate: --ca FILE or --ca sha256:…`,
      { cause: error },
    );
  }
  const reason = reasons[code] ?? (code === '' ? 'no answer' : code);
  return new Problem('network', 'NETWORK', `Could not reach ${place}: ${reason}.`, { cause: error });
}

/** Connecting to a name tries all of its addresses. Node then wraps the failures into one error that has no code. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : error.name === 'AbortError' ? 'ABORTED' : '';
}
