// missing.mjs - is there such a browser? missing.mjs BROWSER... ends with 77, and says what is
// missing, if not.
import { missing } from './browser.mjs';

for (const name of process.argv.slice(2))
  if (missing(name)) {
    console.log(`skipped: no ${missing(name)}`);
    process.exit(77);
  }
