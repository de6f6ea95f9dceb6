/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: The Belay authors */
/* What the search shows first: the row of a function that is asked for by its name, then pages, then the headers, of
 * which there are hundreds. */
var Scorer = {
  score: (result) => {
    const [docname, title, anchor, descr, score, filename, kind] = result;
    if (kind === "index") {
      result[1] = `${anchor.slice(1)} (${title})`;
      return score + 30;
    }
    if (docname.startsWith("include/") || docname.startsWith("examples/")) return score - 60;
    if (docname === "docs/troubleshooting") return score + 12;
    if (docname.startsWith("docs/start-")) return score + 6;
    if (docname === "CHANGELOG" || docname === "docs/torch-npu-operators") return score - 12;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
