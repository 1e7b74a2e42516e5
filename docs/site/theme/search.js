// search.js - gives the theme its search. The worker and the index are scripts, for a page on the disk may not read other files. The
// index comes when a reader opens the search, or has come from it.
var __search = {
  worker: URL.createObjectURL(new Blob([searchWorker], { type: 'text/javascript' })),
  index: new Promise((ready) => {
    const source = new URL('search/index.js', document.currentScript.src);
    const load = () => {
      if (window.takeSearchIndex)
        return;
      window.takeSearchIndex = ready;
      document.head.append(Object.assign(document.createElement('script'), { src: source }));
    };
    document.querySelector('#__search').addEventListener('change', load);
    if (new URLSearchParams(location.search).has('h'))
      load();
  }),
};
