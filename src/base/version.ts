import manifest from '../../package.json' with { type: 'json' };

/** The version of this program. The bundler inserts it; nothing is read at run time. */
export const { version } = manifest;
