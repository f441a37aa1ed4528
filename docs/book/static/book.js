// What can be scrolled sideways can be reached by keyboard too.
function reach() {
    for (const box of document.querySelectorAll('pre, .table-wrapper')) {
        if (box.scrollWidth > box.clientWidth) box.setAttribute('tabindex', '0');
        else box.removeAttribute('tabindex');
    }
}
addEventListener('DOMContentLoaded', reach);
addEventListener('load', reach);
addEventListener('resize', reach);
