#include "base/text.h"
int main(void){return 0;}
