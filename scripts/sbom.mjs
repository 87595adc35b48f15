import { createHash } from 'node:crypto';
import { root } from './bundle.mjs';
import { lockedAs, readLock } from './locked.mjs';

/**
 * What is in the program, in CycloneDX 1.5: https://cyclonedx.org/docs/1.5/json/. `npm sbom` says what is installed, which is more than that.
 *
 * @param {{ name: string, version: string, packages: readonly string[], nodes: readonly string[], libraries: import('./image/libraries.mjs').Libraries, epoch: number }}
 *   program `packages` with their versions; `nodes`: the versions of Node; `libraries`: what the image has beside the program
 * @returns {Promise<string>} the same text each time
 */
export async function sbomOf({ name, version, packages, nodes, libraries, epoch }) {
  const lock = await readLock(root);
  const components = [
    ...nodes.map(nodeComponent),
    ...packages.map((one) => componentOf(lock, one)),
    ...libraries.packages.map((one) => libraryOf(libraries.system, one)),
  ];
  const serial = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  const sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(serial)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': `${name}@${version}`, name, version },
    },
    components,
    dependencies: [{ ref: `${name}@${version}`, dependsOn: components.map((one) => one['bom-ref']) }],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function nodeComponent(version) {
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'platform', 'bom-ref': `node@${version}`, name: 'node', version, cpe };
}

function componentOf(lock, text) {
  const at = text.lastIndexOf(' ');
  const [name, version] = [text.slice(0, at), text.slice(at + 1)];
  const found = lockedAs(lock, text);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(found.license !== undefined && { licenses: [{ expression: found.license }] }),
    ...(found.integrity !== undefined && { hashes: [hashOf(found.integrity)] }),
  };
}

/** https://github.com/package-url/purl-spec/blob/main/types-doc/deb-definition.md */
function libraryOf(system, { name, version, architecture }) {
  const purl = `pkg:deb/${system}/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl, description: 'in the image for containers alone' };
}

function hashOf(integrity) {
  const [algorithm, digest] = integrity.split(' ')[0].split(/-(.*)/);
  const names = { sha512: 'SHA-512', sha1: 'SHA-1', sha256: 'SHA-256' };
  return { alg: names[algorithm], content: Buffer.from(digest, 'base64').toString('hex') };
}

/** Version 8 of RFC 9562: of bits of one's own. */
function uuidOf(hex) {
  const variant = ((Number.parseInt(hex[16], 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
