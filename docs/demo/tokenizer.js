// Penn Treebank tokens: the rules of NLTK's TreebankWordTokenizer after a split into
// sentences, as dsa/data/prepared/tokenizer.py applies them.
const RULES = [
  [/^"/g, "``"], [/(``)/g, " $1 "], [/([ ([{<])("|'{2})/g, "$1 `` "],
  [/([:,])([^\d])/g, " $1 $2"], [/([:,])$/g, " $1 "], [/\.\.\./g, " ... "],
  [/[;@#$%&]/g, " $& "], [/([^.])(\.)([\])}>"']*)\s*$/g, "$1 $2$3 "],
  [/[?!]/g, " $& "], [/([^'])' /g, "$1 ' "], [/[\][(){}<>]/g, " $& "], [/--/g, " -- "],
  [/^[^]*$/, " $& "], [/''/g, " '' "], [/"/g, " '' "],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /g, "$1 $2 "],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /g, "$1 $2 "],
  [/\b(can)(not)\b|\b(d)('ye)\b|\b(gim)(me)\b|\b(gon)(na)\b|\b(got)(ta)\b|\b(lem)(me)\b/gi,
   (match, ...parts) => ` ${parts.slice(0, 12).filter(Boolean).join(" ")} `],
  [/\b(wan)(na)(?=\s)/gi, " $1 $2 "], [/ ('t)(is|was)\b/gi, " $1 $2 "],
];

export function tokenize(text) {
  const sentences = text.trim().split(/(?<=(?<!\b\p{L})[.?!]["')\]]*)\s+/u);
  return sentences.flatMap((sentence) => {
    const spaced = RULES.reduce((s, [rule, to]) => s.replace(rule, to), sentence);
    return spaced.split(/\s+/).filter(Boolean);
  });
}
