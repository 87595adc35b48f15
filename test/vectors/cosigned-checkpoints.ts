/** Checkpoints of public logs with cosignatures of a public witness, as its monitoring endpoint gave them out (c2sp.org/tlog-witness). */
export const witnessKey =
  'witness.navigli.sunlight.geomys.org+a3e00fe2+BNy/co4C1Hn1p+INwJrfUlgz7W55dSZReusH/GhUhJ/G';

export const cosignedCheckpoints = [
  {
    seconds: 0x6ac17f92,
    note: 'markovianprotocol.com/log\n9266\nQnwPzJywq5AyOk9k1zLqfryh6Ktw1CnaaKplELApoxw=\n\n— markovianprotocol.com/log AwLGyIvuxLXZM101mKdNCPTsl9GgtiG/wzbd8cGru0pGnWVMXI06twIsEIZho7n8id+w2EO0BZCalxuEm6BauQGNmgo=\n— witness.navigli.sunlight.geomys.org o+AP4gAAAABqwX+So8evhUsltetL+QnwUxEYMNrD25pJYOTFHwDCopbgQMl2AEh583AxfFNMDZzE73rdjK62tUN8oUBfd9p6usq+BA==\n',
  },
  {
    seconds: 0x6a6fb0f3,
    note: 'coachandhorses2026h1.staging.certificate.transparency.goog\n185550722\nYXAM0VmnrfvLaBCOOYSJhCaE5F10oGBOo+hkbDa1kng=\n\n— coachandhorses2026h1.staging.certificate.transparency.goog MpXgsHy8ZwxXnO+WjtVrPxAzL49Rs1gWTkNVNeEa//5peAzaocRCB3qt3EaibjzY5GILLtGgBP7dBhgcSHy+JQh0OAc=\n— witness.navigli.sunlight.geomys.org o+AP4gAAAABqb7DzNrGFRJnQ9vrJ8xpnwZytnr/ZYczDIsvwvouiSjwOjn7a72ccxBk+lKnZ7dKqkYKER1s/KxLTaVwQD7lJZTC/CQ==\n',
  },
];

/** Keys of public witnesses, of the type of cosignatures. */
export const witnessKeys = [
  witnessKey,
  'witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv',
  'transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM',
  'rgdd.se/poc-witness+db03732e+BCjJKlo6BU0xfIb8LutqerIFTWIXEA0L5n3tW3QyPFgG',
  'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
];

/** The example of c2sp.org/tlog-cosignature; its keys are not published. */
export const cosignatureExample = {
  note: 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n',
  seconds: 1679315147n,
};

/** The example of a request in c2sp.org/tlog-witness. */
export const addCheckpointExample = `old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;
