/**
 * Published signed notes: golang.org/x/mod, sumdb/note/note_test.go, the checksum database of Go, and the examples of
 * c2sp.org/signed-note and c2sp.org/tlog-checkpoint.
 */
const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const signature =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';

export const notes = {
  peter: {
    verifierKey: 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    /** of PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz, without the type byte */
    seed: '810a1402d5146c8d84f2443330f54080ebf98ee17d9c74f6252fc5d5c7283173',
    text,
    signature,
  },
  signed: [
    {
      verifierKey: 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
      note: 'go.sum database tree\n13485\n/ZWur4obeiqK+ASdnPK+/Rmz6LPQMUeSmHh0+UkL54Y=\n\n— sum.golang.org Az3grnQReYTvpCrRxT+w50vixbqBlB/aPS8bL8f8KW4HHP+UjLSXOJgCh4f54n8hO6lrESglzyRXMXnhaWzaeY3zqw8=\n',
    },
  ],
  malformed: [
    '',
    `${text}`,
    `${text}\n`,
    `${text}\n${signature.slice(0, -1)}`,
    `${text}${signature}`,
    `${text}\n\n${signature}more`,
    `${text}\n${signature}\n`,
    `${text}\n- PeterNeumann x08go/ZJ\n`,
    `${text}\n— PeterNeumann\n`,
    `${text}\n— Peter+Neumann x08go/ZJkuBS\n`,
    `${text}\n— Peter\u2003Neumann x08go/ZJkuBS\n`,
    `${text}\n—  x08go/ZJkuBS\n`,
    `${text}\n— PeterNeumann x08go/ZJkuB\n`,
    `${text}\n— PeterNeumann x08g\n`,
    `${text}\n— PeterNeumann x08go/ZJkuBS more\n`,
    `${text.replace('cryptography', 'crypto\tgraphy')}\n${signature}`,
    `${text.replace('cryptography', 'crypto\rgraphy')}\n${signature}`,
    `${text.replace('cryptography', 'crypto\ud800graphy')}\n${signature}`,
  ],
  badKeys: [
    // wrong length of the key, with the hash that it would have
    'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    // unknown type, with the hash that it would have
    'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    'Peter Neumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    'PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
    '+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW',
  ],
};

export const checkpointExamples = [
  {
    origin: 'example.com/behind-the-sofa',
    size: 20852163,
    root: 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=',
    note: 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n',
  },
  {
    origin: 'go.sum database tree',
    size: 13485,
    root: '/ZWur4obeiqK+ASdnPK+/Rmz6LPQMUeSmHh0+UkL54Y=',
    note: notes.signed[0]!.note,
  },
];
