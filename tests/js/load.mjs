// Components are scripts without imports. This makes a module of one, with the named constants exported.
import { readFileSync } from "node:fs";

const FOLDER = new URL("../../pages/common/components/", import.meta.url);

export const load = (files, names) => {
  const text = files.map((file) => readFileSync(new URL(file, FOLDER), "utf8")).join("");
  return import(`data:text/javascript,${encodeURIComponent(`${text}\nexport { ${names.join(", ")} };`)}`);
};
