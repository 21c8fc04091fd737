// Components are scripts without imports. This makes a module of some, with the named constants exported.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const FOLDER = new URL("../../pages/common/components/", import.meta.url);

export const load = (files, names) => {
  const text = files.map((file) => readFileSync(new URL(file, FOLDER), "utf8")).join("");
  const module = join(mkdtempSync(join(tmpdir(), "loopscope-")), "scripts.mjs");
  writeFileSync(module, `${text}\nexport { ${names.join(", ")} };`);
  return import(pathToFileURL(module));
};
