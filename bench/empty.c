/* What a process costs at least: an empty C program. */
int main(void) {
    return 0;
}
