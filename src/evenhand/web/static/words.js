// Sentences are in English here and translated by the catalogue of the campaign's language, which
// the page brings. What they are filled with is text, as they are: no markup comes of either.
const catalogue = JSON.parse(document.body.dataset.words);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
export const _ = (text, values = {}) => fill(catalogue.messages[text] ?? text, values);
export function ngettext(one, many, n) {
  const form = catalogue.forms[n < 200 ? n : 100 + n % 100];
  const told = catalogue.messages[one] ?? [one, many];
  return fill(told[catalogue.messages[one] ? form : Number(n !== 1)], { n: number(n) });
}
const numbers = (() => {
  const language = document.documentElement.lang, told = { maximumFractionDigits: 12 };
  try {
    return new Intl.NumberFormat(`${language}-u-nu-latn`, told);
  } catch { /* a tag that the browser does not know */ }
  return new Intl.NumberFormat("en", told);
})();
export const number = (value) => numbers.format(value);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const end = (text) => _("{sentence}.", { sentence: text });
export const sentence = (text) => end(capital(text));
// a part of another text does not turn the sentence around it
export const quoted = (text) => _("“{text}”", { text: document.documentElement.dir === "rtl" ? `\u2068${text}\u2069` : text });
// What an output is called, by its form
export const FORMS = {
  code: { one: _("Code"), of: (n) => _("Code {n}", { n }), left: _("Code 1 is better"), right: _("Code 2 is better") },
  chat: { one: _("Chat"), of: (n) => _("Chat {n}", { n }), left: _("Chat 1 is better"), right: _("Chat 2 is better") },
  image: { one: _("Image"), of: (n) => _("Image {n}", { n }), left: _("Image 1 is better"), right: _("Image 2 is better") },
  audio: { one: _("Recording"), of: (n) => _("Recording {n}", { n }), left: _("Recording 1 is better"), right: _("Recording 2 is better") },
};
const TEXTS = { one: _("Text"), of: (n) => _("Text {n}", { n }), left: _("Text 1 is better"), right: _("Text 2 is better") };
export const called = (output) => FORMS[output.form] ?? TEXTS;
export const outcomesOf = (output) => ({
  left: ["1", called(output).left], right: ["2", called(output).right],
  tie: ["0", _("No preference")], both_bad: ["9", _("Both are bad")],
});
const ROLES = { user: _("User"), assistant: _("Assistant"), system: _("System prompt"), tool: _("Tool") };
export const roleOf = (name) => (Object.hasOwn(ROLES, name) ? ROLES[name] : name);
export const LABELS = { source: _("Source"), reference: _("Reference"), context: _("Context") };
const SEVERITIES = { minor: _("minor"), major: _("major") };  // those of a task that names none
export const severityOf = (name) => (Object.hasOwn(SEVERITIES, name) ? SEVERITIES[name] : name);
export const listed = (first, second) => _("{first}, {second}", { first, second });
export const apart = (first, second) => _("{first}; {second}", { first, second });
export const letter = (at) => String.fromCharCode(65 + at);
// cut a text into words and what is between them, or into characters as they are read (graphemes)
export function split(text, language, granularity = "word") {
  if (window.Intl && Intl.Segmenter) {
    try {
      return [...new Intl.Segmenter(language || undefined, { granularity }).segment(text)].map((one) => one.segment);
    } catch { /* a tag that the browser does not know */ }
  }
  if (granularity === "grapheme") return text.match(/\P{M}\p{M}*|\p{M}+/gu) || [];
  return text.match(/\s+|[\p{L}\p{N}\p{M}]+|[^\s\p{L}\p{N}\p{M}]/gu) || [];
}
