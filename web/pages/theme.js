// theme.js - dark or light before the first picture: as the user has chosen here, else as the
// system says. A script of its own, and no module, since modules run after that picture.
(function () {
  var system = matchMedia('(prefers-color-scheme: dark)');
  var chosen = null;
  try {
    chosen = localStorage.getItem('co4-theme');
  } catch (e) {
    // a browser that keeps nothing
  }
  function show() {
    document.documentElement.dataset.theme = chosen || (system.matches ? 'dark' : 'light');
    document.dispatchEvent(new Event('theme'));
  }
  system.addEventListener('change', show);
  window.toggleTheme = function () {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem('co4-theme', chosen);
    } catch (e) {
      // it holds until the page ends
    }
    show();
  };
  show();
})();
